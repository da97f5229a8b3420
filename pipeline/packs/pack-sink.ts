/**
 * Writes pages into packs, one pack for each family of pages. All pages are in one range of the sort order (`PlaceRange` in
 * format.ts). A pack is written completely, or derived from the pack of an earlier release.
 */

import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PageText } from "../../api-static/pages/read-page.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";
import { fileDigest } from "../files/durable.ts";
import { computePlace, PackDamaged, type PageAddress, type PlaceRange, packPath } from "./format.ts";
import { type PackCache, type PackedFrame, PackReader, packCache } from "./pack-reader.ts";
import { chooseFrames, PackWriter } from "./pack-writer.ts";
import type { PageShard } from "./page-store.ts";

/** A finished pack: its manifest line, and the digests of its shards, from which the root of the family is computed. */
export interface FinishedPack {
  readonly family: string;
  readonly line: ManifestLine;
  readonly pages: number;
  /** Number of pages that were copied from an earlier release. */
  readonly reused: number;
  readonly shards: readonly PageShard[];
}

/** The packs of an earlier release. `lines` contains its manifest lines, by path. */
export interface EarlierPacks {
  readonly folder: string;
  readonly lines: Readonly<Record<string, ManifestLine>>;
  /** Keys of removed pages for each family, sorted by {@link computePlace}. */
  readonly gone: Readonly<Record<string, readonly string[]>>;
}

/** The error if a file of an earlier release does not match its manifest. */
export class PreviousDamaged extends Error {
  readonly code = "previous-damaged";
}

interface OpenPack {
  readonly writer: PackWriter;
  readonly merge: PackMerge | null;
  readonly earlier: PackReader | null;
  readonly gone: readonly string[];
  next: number;
}

/**
 * Limit of decompressed frames of earlier packs in memory, in bytes. It can be small, because only one frame is needed
 * at a time.
 */
const CACHE_BYTES = 4 * 1024 * 1024;

export class PackSink {
  readonly #packs: Map<string, OpenPack>;
  readonly #range: Pick<PlaceRange, "name">;

  private constructor(range: Pick<PlaceRange, "name">, packs: Map<string, OpenPack>) {
    this.#range = range;
    this.#packs = packs;
  }

  /**
   * Opens packs for a range below `root`, one for each family. Pages of the packs in `earlier` that are neither written
   * again nor removed are copied.
   *
   * @throws PreviousDamaged
   */
  static async open(
    root: string,
    range: Pick<PlaceRange, "name">,
    families: readonly string[],
    earlier: EarlierPacks | null = null,
  ): Promise<PackSink> {
    const cache = packCache(CACHE_BYTES);
    const packs = new Map<string, OpenPack>();
    for (const family of families) {
      const path = packPath(family, range);
      const reader = earlier === null ? null : await earlierPack(earlier, path, cache);
      mkdirSync(dirname(join(root, path)), { recursive: true });
      const writer = new PackWriter(join(root, path), { frames: chooseFrames(family) });
      const merge = reader === null ? null : new PackMerge(reader, writer);
      packs.set(family, { writer, merge, earlier: reader, gone: earlier?.gone[family] ?? [], next: 0 });
    }
    return new PackSink(range, packs);
  }

  /**
   * Adds a page to the pack of its family.
   * @throws PreviousDamaged
   */
  write({ family, key }: PageAddress, page: PageText): void {
    const pack = this.#packs.get(family);
    if (pack === undefined) throw new Error(`no pack is open for the pages of ${family}; report this`);
    if (pack.merge === null) {
      pack.writer.add(key, page);
      return;
    }
    const { merge } = pack;
    blameEarlierRelease(merge.path, () => {
      if (pack.gone.length > pack.next) dropBefore(pack, computePlace(key));
      merge.change(key, page);
    });
  }

  /**
   * Finishes all packs. A family without pages has no pack.
   * @throws PreviousDamaged
   */
  finish(): FinishedPack[] {
    const finished: FinishedPack[] = [];
    for (const [family, pack] of this.#packs) {
      const { merge } = pack;
      if (merge !== null) {
        blameEarlierRelease(merge.path, () => {
          dropBefore(pack, null);
          merge.finish();
        });
      }
      const { pages, shards, bytes, sha256, index } = pack.writer.finish();
      const path = packPath(family, this.#range);
      if (pages > 0) {
        finished.push({ family, pages, shards, reused: merge?.reused ?? 0, line: { path, bytes, sha256, index } });
      }
      pack.earlier?.close();
      this.#packs.delete(family);
    }
    return finished;
  }

  /** Closes all files after a failure. */
  abandon(): void {
    for (const { writer, earlier } of this.#packs.values()) {
      writer.abandon();
      earlier?.close();
    }
  }
}

/** Calls `read`. If it finds a damaged pack, throws an error that says that the earlier release is damaged. */
function blameEarlierRelease<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof PackDamaged)) throw cause;
    throw new PreviousDamaged(`${path}: ${cause.message}`, { cause });
  }
}

/**
 * Removes pages that the new release no longer has, up to and including the given place. If `place` is null, removes
 * all that are left.
 */
function dropBefore(pack: OpenPack, place: Buffer | null): void {
  for (; pack.next < pack.gone.length; pack.next += 1) {
    const key = pack.gone[pack.next] ?? "";
    if (place !== null && computePlace(key).compare(place) > 0) return;
    pack.merge?.change(key, null);
  }
}

async function earlierPack(
  { folder, lines }: EarlierPacks,
  path: string,
  cache: PackCache,
): Promise<PackReader | null> {
  const line = lines[path];
  if (line === undefined) return null;
  const file = join(folder, path);
  // Frames are copied without decoding, so damage would pass from release to release.
  const digest = await fileDigest(file).catch(() => null);
  if (digest !== line.sha256)
    throw new PreviousDamaged(`${file} does not match the sha256 in the manifest of its release`);
  return blameEarlierRelease(file, () => PackReader.open(file, cache, line.index ?? null));
}

/** The frame of the earlier pack that is processed now. `end` is the place of its last page. */
interface HeldFrame extends PackedFrame {
  readonly end: Buffer;
}

/**
 * Derives a new pack from an earlier one in which some pages changed. Frames without changes are copied byte for byte.
 */
export class PackMerge {
  readonly #earlier: PackReader;
  readonly #writer: PackWriter;
  readonly #frames: Iterator<PackedFrame>;
  #held: HeldFrame | null = null;
  /** Index of the next page in the frame that is processed now. */
  #next = 0;
  reused = 0;

  constructor(earlier: PackReader, writer: PackWriter) {
    this.#earlier = earlier;
    this.#writer = writer;
    this.#frames = earlier.frames();
    this.#advance();
  }

  get path(): string {
    return this.#earlier.path;
  }

  /**
   * Replaces the page of a key, or removes it if `page` is null. Must be called once for each changed key, sorted by
   * {@link computePlace}.
   */
  change(key: string, page: PageText | null): void {
    const place = computePlace(key);
    while (this.#held !== null && this.#held.end.compare(place) < 0) this.#takeRest(false);
    for (let page = this.#page; page !== undefined && computePlace(page.key).compare(place) < 0; page = this.#page) {
      this.#takePage(page);
    }
    if (this.#page?.key === key) this.#skip();
    if (page !== null) this.#writer.add(key, page);
  }

  finish(): void {
    while (this.#held !== null) this.#takeRest(true);
  }

  get #page() {
    return this.#held?.pages[this.#next];
  }

  /**
   * Copies the remaining pages of the current frame. `ends` is true if no new page follows, because the last frame can
   * then be copied as it is.
   */
  #takeRest(ends: boolean): void {
    const heldFrame = this.#held;
    if (heldFrame === null) return;
    const { frame, pages } = heldFrame;
    if (this.#next === 0 && this.#writer.canCopyFrame(heldFrame, ends)) {
      this.#writer.addFrame(this.#earlier.packed(frame), heldFrame);
      this.reused += pages.length;
      this.#advance();
      return;
    }
    // The next frame may contain changed pages.
    for (let page = this.#page; this.#held === heldFrame && page !== undefined; page = this.#page) this.#takePage(page);
  }

  #takePage({ key, start, length, sha256 }: PackedFrame["pages"][number]): void {
    const { frame } = this.#held ?? {};
    if (frame === undefined) return;
    if (!this.#writer.addShared(key, sha256)) {
      this.#writer.add(key, [this.#earlier.inflate(frame).subarray(start, start + length)], sha256);
    }
    this.reused += 1;
    this.#skip();
  }

  #skip(): void {
    this.#next += 1;
    if (this.#page === undefined) this.#advance();
  }

  #advance(): void {
    const { done, value } = this.#frames.next();
    this.#held = done === true ? null : { ...value, end: computePlace(value.pages.at(-1)?.key ?? "") };
    this.#next = 0;
  }
}
