/** Reads a pack: a single page by its key, with two small reads, or all pages in order. */

import { hash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import { LRUCache } from "lru-cache";
import type { ManifestLine } from "../../schemas/public/release.ts";
import {
  type Branch,
  computePlace,
  decodeLeaf,
  decodeRoot,
  type FrameEntry,
  findInLeaf,
  MAX_INFLATED_BYTES,
  PackDamaged,
  type PageEntry,
  type Root,
  rootLength,
  TAIL_BYTES,
} from "./format.ts";

export interface PackedPage {
  readonly bytes: Buffer;
  readonly sha256: Buffer;
}

type Parts = LRUCache<string, Buffer>;

/**
 * A cache of frames and leaves, which discards the least recently used ones first. Frames and leaves have separate
 * limits, because a leaf serves more requests than a frame.
 */
export interface PackCache {
  readonly leaves: Parts;
  readonly frames: Parts;
}

export function packCache(bytes: number): PackCache {
  const frames = Math.ceil(bytes / 4);
  return { leaves: makePartCache(Math.max(1, bytes - frames)), frames: makePartCache(frames) };
}

function makePartCache(bytes: number): Parts {
  return new LRUCache({ maxSize: bytes, sizeCalculation: ({ length }) => length + 1 });
}

/** A frame and its pages. */
export interface PackedFrame {
  readonly frame: FrameEntry;
  readonly pages: readonly PageEntry[];
}

export class PackReader {
  readonly path: string;
  readonly #file: number;
  readonly #root: Root;
  readonly #cache: PackCache;
  /** The root of the index at the end of the file, and the offset at which it begins. */
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
   * Opens a pack. The caller must close it. `index` describes the root as in the manifest, if the manifest is known.
   * @throws PackDamaged
   */
  static open(path: string, cache: PackCache, index: ManifestLine["index"] | null = null): PackReader {
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      const length = rootLength(readAt(file, Math.max(0, size - TAIL_BYTES), Math.min(size, TAIL_BYTES)));
      if (length > size) throw new PackDamaged("the pack is shorter than the root of its index");
      const root = readAt(file, size - length, length);
      if (index !== null && (length !== index.bytes || hash("sha256", root) !== index.sha256)) {
        throw new PackDamaged("the root of the index of the pack does not match the manifest");
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
   * Reads the page of a key; null if the pack does not have it.
   * @throws PackDamaged
   */
  get(key: string): PackedPage | null {
    const entry = this.find(key)?.page ?? null;
    if (entry === null) return null;
    const bytes = this.inflate(entry.frame);
    // Copies the bytes, because a view would retain the whole frame in memory.
    return { bytes: Buffer.from(bytes.subarray(entry.start, entry.start + entry.length)), sha256: entry.sha256 };
  }

  /**
   * Locates the page of a key; null if the pack does not have it.
   * @throws PackDamaged
   */
  find(key: string): { readonly leaf: Branch; readonly page: PageEntry } | null {
    const leaf = this.#findBranch(computePlace(key));
    const page = leaf === null ? null : findInLeaf(this.leaf(leaf), key);
    return leaf === null || page === null ? null : { leaf, page };
  }

  /**
   * Returns the bytes of a leaf after checking their digest.
   * @throws PackDamaged
   */
  leaf(branch: Branch): Buffer {
    return this.#cached(this.#cache.leaves, branch.offset, () => {
      const leaf = readAt(this.#file, branch.offset, branch.length);
      if (!hash("sha256", leaf, "buffer").equals(branch.sha256))
        throw new PackDamaged("a block of the index of the pack does not match its digest in the root");
      return leaf;
    });
  }

  /**
   * Returns the compressed bytes of a frame.
   *
   * @throws PackDamaged
   */
  packed({ offset, packed }: FrameEntry): Buffer {
    if (offset + packed > this.rootOffset)
      throw new PackDamaged(`the zstd frame at byte ${offset} does not end before the root of the index`);
    return readAt(this.#file, offset, packed);
  }

  /**
   * Returns the decompressed bytes of a frame.
   * @throws PackDamaged
   */
  inflate(frame: FrameEntry): Buffer {
    return this.#cached(this.#cache.frames, frame.offset, () => inflateFrame(this.packed(frame), frame));
  }

  /**
   * Yields the frames with their pages, in the order of the index. A frame can occur several times if pages of other
   * frames share texts in it.
   *
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

  /** Yields every page with its key, in the order of the index. */
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

  /** Returns the leaf that may contain a place: the last one whose first page is at or before it. */
  #findBranch(place: Buffer): Branch | null {
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

/**
 * Reads bytes of an open file at an offset.
 * @throws PackDamaged if the file is shorter
 */
function readAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let read = 0; read < length; ) {
    const more = readSync(file, bytes, read, length - read, offset + read);
    if (more === 0) throw new PackDamaged("the pack is shorter than its index states");
    read += more;
  }
  return bytes;
}

const MAGIC = 0xfd2fb528;

/** Size of a block header in bytes: last block (1 bit), type (2 bits), size (21 bits). */
const BLOCK_HEADER = 3;

/** Size in bytes of a block that repeats one byte. */
const REPEATED = 1;
const RESERVED = 3;

/**
 * Decompresses a frame. First checks where the frame ends and which size it declares. Without these checks, zstd would
 * ignore all bytes after the first frame, and allocate whatever size is declared.
 *
 * @throws PackDamaged
 */
export function inflateFrame(packed: Buffer, { offset, inflated }: FrameEntry): Buffer {
  const fault = (what: string, cause?: unknown) =>
    new PackDamaged(`the zstd frame at byte ${offset} of the pack ${what}`, { cause });
  const end = findFrameEnd(packed, inflated);
  if (end === null) throw fault(`is damaged, or does not inflate to ${inflated} bytes`);
  if (end !== packed.length) throw fault(`ends ${packed.length - end} bytes before the end that the index states`);
  try {
    const bytes = zstdDecompressSync(packed, { maxOutputLength: Math.max(1, inflated), chunkSize: chunkFor(inflated) });
    if (bytes.length !== inflated) throw fault(`inflates to ${bytes.length} bytes, not ${inflated}`);
    return bytes;
  } catch (cause) {
    throw cause instanceof PackDamaged ? cause : fault(`cannot be inflated to ${inflated} bytes`, cause);
  }
}

/**
 * Returns the size of the output buffer for zstd. It is one byte more than the frame, so that Node does not allocate a
 * second buffer. Large frames need several buffers.
 */
function chunkFor(inflated: number): number {
  return Math.min(Math.max(inflated + 1, 64), 512 * 1024);
}

/**
 * Returns the offset at which a zstd frame ends. Returns null if it declares another size or needs more memory than
 * allowed.
 */
function findFrameEnd(packed: Buffer, inflated: number): number | null {
  try {
    const blocks = findBlocks(packed, inflated);
    return blocks === null ? null : endOfBlocks(packed, blocks.at) + blocks.checksum;
  } catch {
    return null;
  }
}

/** Returns the offset of the blocks in a zstd frame, and the length of the checksum after them. */
function findBlocks(packed: Buffer, inflated: number): { readonly at: number; readonly checksum: number } | null {
  const descriptor = packed.readUInt8(4);
  const single = (descriptor & 0x20) !== 0;
  const usesDictionary = (descriptor & 0x03) !== 0;
  if (packed.readUInt32LE(0) !== MAGIC || usesDictionary) return null;
  if (!single && computeWindow(packed.readUInt8(5)) > MAX_INFLATED_BYTES) return null;
  const at = single ? 5 : 6;
  const [statedSize, bytes] = contentSize(packed, at, descriptor >> 6, single);
  return statedSize === inflated ? { at: at + bytes, checksum: (descriptor & 0x04) === 0 ? 0 : 4 } : null;
}

function computeWindow(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

/**
 * Returns the size that a zstd header declares (null if it does not declare one), and the length of this field in
 * bytes.
 */
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
    if (type === RESERVED) throw new PackDamaged("a zstd block of the pack has an invalid type");
    at += BLOCK_HEADER + (type === REPEATED ? 1 : header >> 3);
    if ((header & 1) === 1) return at;
  }
}
