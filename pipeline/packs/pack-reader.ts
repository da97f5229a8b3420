/** Reads a pack: one page by its key with two small reads, or all of them in order. */

import { hash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import { LRUCache } from "lru-cache";
import type { ManifestLine } from "../../schemas/public/release.ts";
import {
  type Branch,
  decodeLeaf,
  decodeRoot,
  type FrameEntry,
  findInLeaf,
  INFLATED_LIMIT,
  PackDamaged,
  type PageEntry,
  placeOf,
  type Root,
  rootLength,
  TAIL_BYTES,
} from "./format.ts";

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

const MAGIC = 0xfd2fb528;

/** Header of a block: whether it is the last (1 bit), its type (2), its size (21). */
const BLOCK_HEADER = 3;

/** Bytes that a block inflates from: of a type that repeats one byte, that byte. */
const REPEATED = 1;
const RESERVED = 3;

/**
 * The bytes of a frame's pages. zstd would stop at the end of the first frame in `packed`, and ask for as much memory as a
 * header wants: neither is left to it.
 * @throws PackDamaged
 */
export function inflateFrame(packed: Buffer, { offset, inflated }: FrameEntry): Buffer {
  const fault = (what: string, cause?: unknown) => new PackDamaged(`the frame at ${offset} ${what}`, { cause });
  const end = endOf(packed, inflated);
  if (end === null) throw fault(`is no frame of zstd that inflates to ${inflated} bytes`);
  if (end !== packed.length) throw fault(`ends ${packed.length - end} bytes before its index says`);
  try {
    const bytes = zstdDecompressSync(packed, { maxOutputLength: Math.max(1, inflated), chunkSize: chunkFor(inflated) });
    if (bytes.length !== inflated) throw fault(`inflates to ${bytes.length} bytes, not ${inflated}`);
    return bytes;
  } catch (cause) {
    throw cause instanceof PackDamaged ? cause : fault(`cannot be inflated to ${inflated} bytes`, cause);
  }
}

/**
 * One chunk for most frames, with room behind its last byte, since Node asks for more where there is none; a larger one
 * grows by chunks.
 */
function chunkFor(inflated: number): number {
  return Math.min(Math.max(inflated + 1, 64), 512 * 1024);
}

/** Where the frame ends; null where it is none that says it has so many bytes and needs no more memory than that. */
function endOf(packed: Buffer, inflated: number): number | null {
  try {
    const blocks = blocksOf(packed, inflated);
    return blocks === null ? null : endOfBlocks(packed, blocks.at) + blocks.checksum;
  } catch {
    return null;
  }
}

/** Where its blocks begin, and how many bytes follow them. */
function blocksOf(packed: Buffer, inflated: number): { readonly at: number; readonly checksum: number } | null {
  const descriptor = packed.readUInt8(4);
  const single = (descriptor & 0x20) !== 0;
  const usesDictionary = (descriptor & 0x03) !== 0;
  if (packed.readUInt32LE(0) !== MAGIC || usesDictionary) return null;
  if (!single && windowOf(packed.readUInt8(5)) > INFLATED_LIMIT) return null;
  const at = single ? 5 : 6;
  const [said, bytes] = contentSize(packed, at, descriptor >> 6, single);
  return said === inflated ? { at: at + bytes, checksum: (descriptor & 0x04) === 0 ? 0 : 4 } : null;
}

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

/** What the header says that the frame inflates to, and in how many bytes; null where it does not say so. */
function contentSize(packed: Buffer, at: number, flag: number, single: boolean): readonly [number | null, number] {
  switch (flag) {
    case 0:
      return single ? [packed.readUInt8(at), 1] : [null, 0];
    case 1:
      return [packed.readUInt16LE(at) + 256, 2];
    case 2:
      return [packed.readUInt32LE(at), 4];
    default:
      return [packed.readUIntLE(at, 6), 8];
  }
}

function endOfBlocks(packed: Buffer, from: number): number {
  for (let at = from; ; ) {
    const header = packed.readUIntLE(at, BLOCK_HEADER);
    const type = (header >> 1) & 3;
    if (type === RESERVED) throw new PackDamaged("a block is of no type");
    at += BLOCK_HEADER + (type === REPEATED ? 1 : header >> 3);
    if ((header & 1) === 1) return at;
  }
}
