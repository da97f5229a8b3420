/** Checks every byte of a pack against the format, and each page against its digest in the index. */

import { createHash, hash } from "node:crypto";
import { join } from "node:path";
import type { ManifestLine } from "../../schemas/public/release.ts";
import {
  type Branch,
  computePlace,
  decodeLeaf,
  type FrameEntry,
  PackDamaged,
  type PageEntry,
  readPackPath,
  TEXTS_BACK,
} from "./format.ts";
import { inflateFrame, PackReader, packCache } from "./pack-reader.ts";
import { chooseFrames } from "./pack-writer.ts";
import { type PageShard, PageShards } from "./page-store.ts";

/** The result of checking a whole pack. */
export interface CheckedPack {
  readonly sha256: string;
  readonly pages: number;
  /** Digests of the pages by shard. The root of the family of pages is computed from them. */
  readonly shards: readonly PageShard[];
}

/**
 * Checks a pack by reading the whole file once, with at most one leaf and one frame in memory. `line` is its line in
 * the manifest of `folder`. `report` receives faults of single pages, with the key of the page.
 *
 * @throws PackDamaged for other faults, because the rest can then not be read; errors of the disk
 */
export function checkPack(folder: string, line: ManifestLine, report: (message: string) => void): CheckedPack {
  if (line.index === undefined) throw new PackDamaged("the manifest does not describe the index of this pack");
  const reader = PackReader.open(join(folder, line.path), packCache(1), line.index);
  try {
    return new PackCheck(reader, line.path, report).run();
  } finally {
    reader.close();
  }
}

type FrameTexts = Map<string, string>;

class PackCheck {
  readonly #reader: PackReader;
  readonly #range: { readonly from: string; readonly to: string };
  readonly #told: (message: string) => void;
  readonly #digest = createHash("sha256");
  readonly #shards = new PageShards();
  /**
   * Digests of the texts in recent frames, because pages may share a text with an earlier page; null if each page must
   * have its own text.
   */
  readonly #texts: FrameTexts | null;
  /** Number of bytes of the file that have been read. */
  #end = 0;
  #pages = 0;
  #last: Buffer | null = null;

  constructor(reader: PackReader, path: string, report: (message: string) => void) {
    const name = readPackPath(path);
    if (name === null)
      throw new PackDamaged("the name of this file is not that of a pack, such as pages/2.0/record.zst");
    this.#reader = reader;
    this.#range = name;
    this.#texts = chooseFrames(name.family) === "alike" ? new Map() : null;
    this.#told = report;
  }

  run(): CheckedPack {
    const { branches, rootOffset, rootBytes, pages } = this.#reader;
    for (const branch of branches) this.#checkLeaf(branch);
    if (this.#end !== rootOffset)
      throw new PackDamaged("there are bytes before the root of the index that belong to no page");
    if (pages === 0) throw new PackDamaged("the pack has no page");
    if (pages !== this.#pages)
      throw new PackDamaged(`the index has ${this.#pages} pages, but its root states ${pages}`);
    this.#digest.update(rootBytes);
    return { sha256: this.#digest.digest("hex"), pages, shards: this.#shards.finish() };
  }

  #checkLeaf(branch: Branch): void {
    const leaf = this.#reader.leaf(branch);
    const entries = decodeLeaf(leaf);
    const [first] = entries;
    if (first === undefined || !computePlace(first.key).equals(branch.place))
      throw new PackDamaged(
        `the index block at byte ${branch.offset} does not begin with the page that the root of the index states`,
      );
    this.#checkOrder(entries);
    const own = entries.filter((entry) => entry.frame.offset >= this.#end);
    if (own.length < entries.length) this.#checkShared(entries);
    for (const [frame, pages] of framesIn(own)) this.#checkFrame(frame, pages);
    if (branch.offset !== this.#end)
      throw new PackDamaged(`the index block at byte ${branch.offset} does not follow the last page that it lists`);
    this.#read(leaf);
  }

  /** Adds bytes to the digest of the file. The caller has checked that they directly follow the bytes before. */
  #read(bytes: Buffer): void {
    this.#digest.update(bytes);
    this.#end += bytes.length;
  }

  #checkOrder(entries: readonly PageEntry[]): void {
    for (const { key, sha256 } of entries) {
      const place = computePlace(key);
      if (this.#last !== null && place.compare(this.#last) <= 0)
        throw new PackDamaged(`the page ${key} is not in the order of the index`);
      const digits = place.toString("hex");
      if (digits < this.#range.from || digits >= this.#range.to)
        throw new PackDamaged(`the page ${key} belongs in another pack`);
      this.#last = place;
      this.#shards.add(place, key, sha256);
    }
    this.#pages += entries.length;
  }

  /** Checks pages whose text is in an earlier frame, because they share it with an earlier page. */
  #checkShared(entries: readonly PageEntry[]): void {
    for (const entry of entries) {
      if (entry.frame.offset >= this.#end) continue;
      const text = this.#texts?.get(describePlace(entry));
      if (text === undefined)
        throw new PackDamaged(
          `the index gives the page ${entry.key} a position that contains no recent page, so its text cannot be there`,
        );
      if (text !== entry.sha256.toString("hex"))
        this.#told(`the page ${entry.key} does not match its digest in the index`);
    }
  }

  #checkFrame(frame: FrameEntry, entries: readonly PageEntry[]): void {
    if (frame.offset !== this.#end)
      throw new PackDamaged(`the zstd frame at byte ${frame.offset} does not follow the bytes before it`);
    const packed = this.#reader.packed(frame);
    this.#read(packed);
    const bytes = inflateFrame(packed, frame);
    let end = 0;
    let last: PageEntry | null = null;
    let text: Buffer | null = null;
    for (const entry of entries.toSorted((one, other) => one.start - other.start)) {
      const { key, start, length, sha256 } = entry;
      if (last === null || text === null || last.start !== start || last.length !== length) {
        if (start !== end)
          throw new PackDamaged(`the zstd frame at byte ${frame.offset} has bytes that belong to no page, or to two`);
        end = start + length;
        text = hash("sha256", bytes.subarray(start, end), "buffer");
        this.#remember(entry, text);
      } else if (this.#texts === null) {
        throw new PackDamaged(
          `the page ${key} has the same bytes as ${last.key}, but each page of this pack must have bytes of its own`,
        );
      }
      if (!text.equals(sha256)) this.#told(`the page ${key} does not match its digest in the index`);
      last = entry;
    }
    if (end !== frame.inflated)
      throw new PackDamaged(`the zstd frame at byte ${frame.offset} has bytes that belong to no page`);
  }

  #remember(entry: PageEntry, sha256: Buffer): void {
    if (this.#texts === null) return;
    this.#texts.set(describePlace(entry), sha256.toString("hex"));
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > TEXTS_BACK && oldest !== undefined) this.#texts.delete(oldest);
  }
}

function describePlace({ frame, start, length }: PageEntry): string {
  return `${frame.offset} ${frame.packed} ${frame.inflated} ${start} ${length}`;
}

/** Groups pages by their frame, in the order of the file. */
function framesIn(entries: readonly PageEntry[]): (readonly [FrameEntry, readonly PageEntry[]])[] {
  const frames = new Map<FrameEntry, PageEntry[]>();
  for (const entry of entries) {
    const pages = frames.get(entry.frame) ?? [];
    pages.push(entry);
    frames.set(entry.frame, pages);
  }
  return [...frames].sort(([one], [other]) => one.offset - other.offset);
}
