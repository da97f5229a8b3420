/**
 * Finds the pages of one release in its packs. Also computes the root of a family, a digest of all its pages (ADR 2).
 */

import { createHash, type Hash, hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { digest, type ManifestLine, manifestLine } from "../../schemas/public/release.ts";
import { isMissing } from "../files/durable.ts";
import {
  type Branch,
  computePlace,
  PackDamaged,
  type PageAddress,
  type PageEntry,
  type PlaceRange,
  RESTORE,
  readPackPath,
  SPLITS,
  type Split,
} from "./format.ts";
import { type PackCache, type PackedPage, PackReader, packCache } from "./pack-reader.ts";
import type { FinishedPack } from "./pack-sink.ts";

/** Size of the cache in bytes: a quarter for frames of pages, and the rest for leaves of the index. */
const CACHE_BYTES = 32 * 1024 * 1024;

const EVERYTHING = { from: "", to: "g" };

interface Pack extends PlaceRange {
  readonly line: ManifestLine;
  reader: PackReader | null;
}

/** The position of a page: its pack, leaf and entry. */
export interface FoundPage {
  readonly pack: ManifestLine;
  readonly leaf: Branch;
  readonly page: PageEntry;
}

export class PageStore {
  readonly #folder: string;
  /** Packs by family, in the order of their ranges. A pack is opened when it is first used. */
  readonly #packs: ReadonlyMap<string, readonly Pack[]>;
  readonly #cache: PackCache;

  private constructor(folder: string, packs: ReadonlyMap<string, readonly Pack[]>, cacheBytes: number) {
    this.#folder = folder;
    this.#packs = packs;
    this.#cache = packCache(cacheBytes);
  }

  /**
   * Opens the packs of a release folder. The caller must close them. A folder whose manifest lists no packs has no
   * pages.
   */
  static async open(folder: string, cacheBytes = CACHE_BYTES): Promise<PageStore> {
    return PageStore.ofLines(folder, await manifestLinesIn(folder), cacheBytes);
  }

  /** Opens the packs that manifest lines describe. */
  static ofLines(folder: string, lines: readonly ManifestLine[], cacheBytes = CACHE_BYTES): PageStore {
    const packs = new Map<string, Pack[]>();
    for (const line of lines) {
      const name = readPackPath(line.path);
      if (name === null) continue;
      const family = packs.get(name.family) ?? [];
      packs.set(name.family, [...family, { ...name, line, reader: null }]);
    }
    for (const family of packs.values()) family.sort((one, other) => (one.from < other.from ? -1 : 1));
    return new PageStore(folder, packs, cacheBytes);
  }

  /**
   * Returns the number of packs into which a family is divided: 1, 16 or 64. If the families differ, returns the
   * largest.
   */
  findSplit(families: readonly string[]): Split {
    const digits = families.flatMap((family) => (this.#packs.get(family) ?? []).map(({ from }) => from.length));
    return SPLITS[Math.max(0, ...digits)] ?? 1;
  }

  get families(): readonly string[] {
    return [...this.#packs.keys()];
  }

  /**
   * Reads one page; null if the release does not have it.
   * @throws PackDamaged with the name of the pack; errors of the disk
   */
  get({ family, key }: PageAddress): PackedPage | null {
    const pack = this.#findPack(family, key);
    return pack && this.#naming(pack, () => this.#open(pack).get(key));
  }

  /**
   * Locates a page: the manifest line of its pack, the leaf and the entry; null if the release does not have it.
   * @throws PackDamaged with the name of the pack; errors of the disk
   */
  find({ family, key }: PageAddress): FoundPage | null {
    const pack = this.#findPack(family, key);
    const found = pack && this.#naming(pack, () => this.#open(pack).find(key));
    return pack && found && { pack: pack.line, ...found };
  }

  /**
   * Reads one page. Returns null if the release does not have it, or if its pack is missing because only a part of the
   * release was copied.
   */
  getIfPresent(address: PageAddress): PackedPage | null {
    try {
      return this.get(address);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /**
   * Yields the keys and sha256 of the pages of a family, which are in the index. Reads every pack whose range begins
   * within `range`.
   * @throws PackDamaged with the name of the pack
   */
  *entries(
    family: string,
    range: Omit<PlaceRange, "name"> = EVERYTHING,
  ): Generator<{ readonly key: string; readonly sha256: Buffer }, undefined> {
    for (const pack of this.#packs.get(family) ?? []) {
      if (pack.from < range.from || pack.from >= range.to) continue;
      const frames = this.#naming(pack, () => this.#open(pack)).frames();
      for (;;) {
        const { done, value } = this.#naming(pack, () => frames.next());
        if (done === true) break;
        yield* value.pages;
      }
    }
  }

  /**
   * Yields every page of a family with its key, in order.
   * @throws PackDamaged with the name of the pack
   */
  *each(family: string): Generator<PackedPage & { readonly key: string }> {
    for (const pack of this.#packs.get(family) ?? []) {
      const pages = this.#naming(pack, () => this.#open(pack)).each();
      for (;;) {
        const { done, value } = this.#naming(pack, () => pages.next());
        if (done === true) break;
        yield value;
      }
    }
  }

  close(): void {
    for (const pack of [...this.#packs.values()].flat()) {
      pack.reader?.close();
      pack.reader = null;
    }
  }

  /** Returns the pack whose range contains the key; null if there is none. */
  #findPack(family: string, key: string): Pack | null {
    const at = computePlace(key).toString("hex");
    return this.#packs.get(family)?.findLast(({ from }) => from <= at) ?? null;
  }

  #open(pack: Pack): PackReader {
    pack.reader ??= PackReader.open(join(this.#folder, pack.line.path), this.#cache, pack.line.index ?? null);
    return pack.reader;
  }

  #naming<T>({ line }: Pack, read: () => T): T {
    try {
      return read();
    } catch (cause) {
      if (!(cause instanceof PackDamaged)) throw cause;
      throw new PackDamaged(`${line.path}: ${cause.message}; ${RESTORE}`, { cause });
    }
  }
}

export const renderedPages = z.object({
  lines: z.array(manifestLine),
  /** The root of each family, which is a digest of all its pages. */
  roots: z.record(z.string(), digest),
});
export type RenderedPages = z.infer<typeof renderedPages>;

/** Returns the manifest lines of the packs and the root of each family. The packs may be in any order. */
export function indexRenderedPages(packs: readonly FinishedPack[]): RenderedPages {
  const sorted = packs.toSorted((one, other) => (one.line.path < other.line.path ? -1 : 1));
  const families = [...new Set(sorted.map(({ family }) => family))];
  const listShards = (family: string) => sorted.flatMap((pack) => (pack.family === family ? pack.shards : []));
  return {
    lines: sorted.map(({ line }) => line),
    roots: Object.fromEntries(families.map((family) => [family, pagesRoot(listShards(family))])),
  };
}

/**
 * The digest of a shard: all pages of a family whose places begin with the same three hex digits. `shard` has these
 * digits.
 */
export type PageShard = readonly [shard: string, digest: string];

/** Number of characters to collect before they are digested, because a call for each line would be slow. */
const LINES = 1 << 14;

/** Computes the digest of each shard. The pages must be sorted by place. */
export class PageShards {
  readonly #shards: PageShard[] = [];
  /** The shard of the last page, as a number: the first twelve bits of its place. Null before the first page. */
  #shard: number | null = null;
  #digest: Hash = createHash("sha256");
  #lines = "";

  add(place: Buffer, key: string, sha256: Buffer): void {
    const shard = place.readUInt16BE(0) >> 4;
    if (shard !== this.#shard) this.#end(shard);
    this.#lines += `${key} ${sha256.toString("hex")}\n`;
    if (this.#lines.length > LINES) this.#digestLines();
  }

  finish(): readonly PageShard[] {
    this.#end(null);
    return this.#shards;
  }

  #digestLines(): void {
    this.#digest.update(this.#lines);
    this.#lines = "";
  }

  #end(next: number | null): void {
    if (this.#shard !== null) {
      this.#digestLines();
      this.#shards.push([this.#shard.toString(16).padStart(3, "0"), this.#digest.digest("hex")]);
      this.#digest = createHash("sha256");
    }
    this.#shard = next;
  }
}

/** Returns the root of a family as `sha256:<hex>`. The digests of its shards must be in order. */
export function pagesRoot(shards: readonly PageShard[]): string {
  return `sha256:${hash("sha256", shards.map(([shard, digest]) => `${shard} ${digest}\n`).join(""))}`;
}

export async function manifestLinesIn(folder: string): Promise<ManifestLine[]> {
  const text = await readFile(join(folder, "manifest.ndjson"), "utf8");
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => manifestLine.parse(JSON.parse(line)));
}
