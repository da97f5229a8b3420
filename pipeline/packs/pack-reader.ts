/** Reads a pack: one page by its key with two small reads, or all of them in order. */

import { hash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { LRUCache } from "lru-cache";
import type { ManifestLine } from "../../schemas/public/release.ts";
import {
  type Branch,
  decodeLeaf,
  decodeRoot,
  type FrameEntry,
  findInLeaf,
  PackDamaged,
  type PageEntry,
  placeOf,
  type Root,
  rootLength,
  TAIL_BYTES,
} from "./format.ts";
import { inflateFrame } from "./zstd-frame.ts";

/** A page as a pack has it. */
export interface PackedPage {
  readonly bytes: Buffer;
  readonly sha256: Buffer;
}

type Parts = LRUCache<string, Buffer>;

/**
 * Parts of packs in memory, by their pack and offset; the ones unused for longest go first. Frames, of which most hold one
 * page that is asked for, do not drive out leaves, which lead to hundreds.
 */
export interface PackCache {
  readonly leaves: Parts;
  readonly frames: Parts;
}

export function packCache(bytes: number): PackCache {
  const frames = Math.ceil(bytes / 4);
  return { leaves: partsOf(Math.max(1, bytes - frames)), frames: partsOf(frames) };
}

function partsOf(bytes: number): Parts {
  return new LRUCache({ maxSize: bytes, sizeCalculation: ({ length }) => length + 1 });
}

/** A frame with its pages, as it lies in the pack. */
export interface PackedFrame {
  readonly frame: FrameEntry;
  readonly pages: readonly PageEntry[];
}

export class PackReader {
  readonly path: string;
  readonly #file: number;
  readonly #root: Root;
  readonly #cache: PackCache;
  /** The root of the index, which is the end of the file, and where it begins. */
  readonly rootBytes: Buffer;
  readonly rootOffset: number;

  private constructor(path: string, file: number, rootBytes: Buffer, root: Root, rootOffset: number, cache: PackCache) {
    this.path = path;
    this.#file = file;
    this.rootBytes = rootBytes;
    this.#root = root;
    this.rootOffset = rootOffset;
    this.#cache = cache;
  }

  /**
   * Opens a pack; close it. `index` is what a manifest says of its root, where one is at hand.
   * @throws PackDamaged
   */
  static open(path: string, cache: PackCache, index: ManifestLine["index"] | null = null): PackReader {
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      const length = rootLength(readAt(file, Math.max(0, size - TAIL_BYTES), Math.min(size, TAIL_BYTES)));
      if (length > size) throw new PackDamaged("it is shorter than the root of its index");
      const root = readAt(file, size - length, length);
      if (index !== null && (length !== index.bytes || hash("sha256", root) !== index.sha256)) {
        throw new PackDamaged("the root of its index is not what the manifest says");
      }
      return new PackReader(path, file, root, decodeRoot(root, size - length), size - length, cache);
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  get pages(): number {
    return this.#root.pages;
  }

  get branches(): readonly Branch[] {
    return this.#root.branches;
  }

  /**
   * The page of a key; null where the pack has none.
   * @throws PackDamaged
   */
  get(key: string): PackedPage | null {
    const entry = this.find(key)?.page ?? null;
    if (entry === null) return null;
    const bytes = this.inflate(entry.frame);
    // A page outlives the frame it came from: a view would keep all of it in memory.
    return { bytes: Buffer.from(bytes.subarray(entry.start, entry.start + entry.length)), sha256: entry.sha256 };
  }

  /**
   * Where the page of a key lies; null where the pack has none.
   * @throws PackDamaged
   */
  find(key: string): { readonly leaf: Branch; readonly page: PageEntry } | null {
    const leaf = this.#branchOf(placeOf(key));
    const page = leaf === null ? null : findInLeaf(this.leaf(leaf), key);
    return leaf === null || page === null ? null : { leaf, page };
  }

  /**
   * The bytes of a leaf, which are what the root says.
   * @throws PackDamaged
   */
  leaf(branch: Branch): Buffer {
    return this.#cached(this.#cache.leaves, branch.offset, () => {
      const leaf = readAt(this.#file, branch.offset, branch.length);
      if (!hash("sha256", leaf, "buffer").equals(branch.sha256))
        throw new PackDamaged("a leaf is not what its root says");
      return leaf;
    });
  }

  /**
   * The bytes of a frame as they are packed.
   * @throws PackDamaged
   */
  packed({ offset, packed }: FrameEntry): Buffer {
    if (offset + packed > this.rootOffset) throw new PackDamaged(`the frame at ${offset} does not end before the root`);
    return readAt(this.#file, offset, packed);
  }

  /**
   * The pages of a frame.
   * @throws PackDamaged
   */
  inflate(frame: FrameEntry): Buffer {
    return this.#cached(this.#cache.frames, frame.offset, () => inflateFrame(this.packed(frame), frame));
  }

  /**
   * Pages in order, frame by frame as they follow one another in the index: in a pack of pages that are alike, a frame
   * comes as often as pages that follow each other lie in it.
   * @throws PackDamaged
   */
  *frames(): Generator<PackedFrame> {
    for (const branch of this.#root.branches) {
      let pages: PageEntry[] = [];
      for (const page of decodeLeaf(this.leaf(branch))) {
        const [first] = pages;
        if (first !== undefined && first.frame !== page.frame) {
          yield { frame: first.frame, pages };
          pages = [];
        }
        pages.push(page);
      }
      const [first] = pages;
      if (first !== undefined) yield { frame: first.frame, pages };
    }
  }

  /** Every page with its key, in order. */
  *each(): Generator<PackedPage & { readonly key: string }> {
    for (const { frame, pages } of this.frames()) {
      const bytes = this.inflate(frame);
      for (const { key, start, length, sha256 } of pages) {
        yield { key, bytes: bytes.subarray(start, start + length), sha256 };
      }
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  /** The last leaf that begins at the place or before it. */
  #branchOf(place: Buffer): Branch | null {
    const { branches } = this.#root;
    let [from, to] = [0, branches.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((branches[middle]?.place.compare(place) ?? 1) <= 0) from = middle + 1;
      else to = middle;
    }
    return branches[from - 1] ?? null;
  }

  #cached(parts: Parts, offset: number, read: () => Buffer): Buffer {
    const name = `${this.path}:${offset}`;
    const known = parts.get(name);
    if (known !== undefined) return known;
    const bytes = read();
    parts.set(name, bytes);
    return bytes;
  }
}

/** @throws PackDamaged where the file ends before */
function readAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let read = 0; read < length; ) {
    const more = readSync(file, bytes, read, length - read, offset + read);
    if (more === 0) throw new PackDamaged("it is shorter than its index says");
    read += more;
  }
  return bytes;
}
