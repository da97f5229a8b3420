/**
 * Defines the layout of a pack, a file with many pages (docs/packs.md): compressed frames of pages, leaves of the index
 * between them, and the root of the index at the end. Numbers are little-endian, as in zstd.
 */

import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { type PageFile, pagePath, type Route } from "../../api-static/routes/route.ts";

/** Number of bytes of a place, the position of a key in the order of pages ({@link computePlace}). */
export const PLACE_BYTES = 12;

const RECORD_ID = /^r[0-9a-f]{24}$/;

/** The last computed place. Caching one is enough, because the pages of one key are processed one after another. */
let last: { readonly key: string; readonly place: Buffer } | null = null;

/**
 * Returns the place of a key, by which the pages of a release are sorted and divided into packs. For a record id, it
 * consists of the digits of the id; for any other key, of the first half of the key's sha256.
 */
export function computePlace(key: string): Buffer {
  if (key === last?.key) return last.place;
  const digits = RECORD_ID.test(key) ? key.slice(1) : hash("sha256", key).slice(0, 2 * PLACE_BYTES);
  const place = Buffer.from(digits, "hex");
  last = { key, place };
  return place;
}

/**
 * Magic number of a zstd frame that decompressors skip. Each leaf and the root begin with it, followed by their length
 * in four bytes. So standard zstd tools can decompress a pack.
 */
export const SKIPPED_MAGIC = 0x184d2a5e;
export const SKIPPED_HEADER = 8;

/** Size of a frame entry in a leaf, in bytes: offset in the pack (6), packed length (4), inflated length (4). */
const FRAME_BYTES = 14;

/**
 * Offset of the frame entries in a leaf. Before them are the number of frames and the number of pages, 2 bytes each.
 */
const FRAMES_AT = SKIPPED_HEADER + 4;

/**
 * Size of a page entry in a leaf, in bytes, without its key: number of the frame (2), start in the frame (4), length in
 * the frame (4), sha256 (32).
 */
const ENTRY_BYTES = 42;

/**
 * Size of a leaf entry in the root, in bytes: place of the first page (12), offset in the pack (6), length (4), sha256
 * (32).
 */
const BRANCH_BYTES = PLACE_BYTES + 10 + 32;

/** Size of the root without its entries, in bytes: header, number of pages (6), length of the root (4) and {@link MARK}. */
const ROOT_BYTES = SKIPPED_HEADER + 6 + 4 + 8;

/** The last bytes of every pack. */
export const MARK = Buffer.from("SHAREPK1", "latin1");

/** Number of pages after which a leaf ends, as soon as the current frame ends. */
export const LEAF_PAGES = 256;

/** Number of uncompressed bytes after which a frame ends. */
export const MAX_FRAME_BYTES = 256 * 1024;

export const FRAME_PAGES = 4096;

export const MAX_PAGE_BYTES = 64 * 1024 * 1024;

export const MAX_INFLATED_BYTES = MAX_FRAME_BYTES + MAX_PAGE_BYTES;

/** Largest leaf in bytes. This is enough for {@link LEAF_PAGES} and {@link FRAME_PAGES} pages with the longest keys. */
export const MAX_LEAF_BYTES = 2 * 1024 * 1024;

/** Largest root in bytes. This is enough for seventy million pages in one pack. */
export const MAX_ROOT_BYTES = 16 * 1024 * 1024;

/** Number of recent texts that a page can share, so that a text which many pages have is stored only once. */
export const TEXTS_BACK = 4096;

/**
 * Matches valid keys. They contain no control characters, because roots are digests of lists with one key on each line.
 */
export const KEY = /^[^\p{Cc}]+$/u;

export interface FrameEntry {
  readonly offset: number;
  readonly packed: number;
  readonly inflated: number;
}

/** A page in the index: its key, its frame, and its position in the uncompressed frame. */
export interface PageEntry {
  readonly key: string;
  readonly frame: FrameEntry;
  readonly start: number;
  readonly length: number;
  readonly sha256: Buffer;
}

/** A leaf of the index, as the root describes it. */
export interface Branch {
  readonly place: Buffer;
  readonly offset: number;
  readonly length: number;
  readonly sha256: Buffer;
}

export interface Root {
  readonly pages: number;
  readonly branches: readonly Branch[];
}

/** Advice about a damaged file of a release. Error messages end with it. */
export const RESTORE =
  "`share-release release verify` lists all damage. Restore the release from a copy, or build it again";

/** The error if a pack does not follow the format. */
export class PackDamaged extends Error {
  readonly code = "pack-damaged";
}

export function encodeLeaf(entries: readonly PageEntry[]): Buffer {
  const frames = [...new Set(entries.map(({ frame }) => frame))];
  const places = new Map(frames.map((frame, place) => [frame, place]));
  const keys = entries.reduce((bytes, { key }) => bytes + 1 + Buffer.byteLength(key), 0);
  const size = FRAMES_AT + FRAME_BYTES * frames.length + ENTRY_BYTES * entries.length + keys;
  const leaf = Buffer.alloc(size);
  let at = writeHeader(leaf);
  at = leaf.writeUInt16LE(frames.length, at);
  at = leaf.writeUInt16LE(entries.length, at);
  for (const { offset, packed, inflated } of frames) {
    at = leaf.writeUIntLE(offset, at, 6);
    at = leaf.writeUInt32LE(packed, at);
    at = leaf.writeUInt32LE(inflated, at);
  }
  for (const { key, frame, start, length, sha256 } of entries) {
    at = leaf.writeUInt8(Buffer.byteLength(key), at);
    at += leaf.write(key, at, "utf8");
    at = leaf.writeUInt16LE(places.get(frame) ?? 0, at);
    at = leaf.writeUInt32LE(start, at);
    at = leaf.writeUInt32LE(length, at);
    at += sha256.copy(leaf, at);
  }
  return leaf;
}

export function decodeLeaf(leaf: Buffer): PageEntry[] {
  try {
    return readLeaf(leaf);
  } catch (cause) {
    throw cause instanceof PackDamaged
      ? cause
      : new PackDamaged("a block of the index of the pack ends too early", { cause });
  }
}

function readLeaf(leaf: Buffer): PageEntry[] {
  requireSkipped(leaf, "a block of the index");
  const [frameCount, pageCount] = [leaf.readUInt16LE(SKIPPED_HEADER), leaf.readUInt16LE(SKIPPED_HEADER + 2)];
  const frames = Array.from({ length: frameCount }, (_, place) => frameAt(leaf, place));
  const unused = new Set(frames);
  const entries: PageEntry[] = [];
  let at = FRAMES_AT + FRAME_BYTES * frameCount;
  for (let i = 0; i < pageCount; i += 1) {
    const end = at + 1 + leaf.readUInt8(at);
    const frame = frames[leaf.readUInt16LE(end)];
    const entry = entryAt(leaf, at + 1, end, frame);
    unused.delete(entry.frame);
    entries.push(entry);
    at = end + ENTRY_BYTES;
  }
  if (at !== leaf.length || unused.size > 0)
    throw new PackDamaged("a block of the index of the pack has bytes that belong to no page");
  return entries;
}

function frameAt(leaf: Buffer, place: number): FrameEntry {
  const at = FRAMES_AT + FRAME_BYTES * place;
  const frame = {
    offset: leaf.readUIntLE(at, 6),
    packed: leaf.readUInt32LE(at + 6),
    inflated: leaf.readUInt32LE(at + 10),
  };
  if (frame.inflated > MAX_INFLATED_BYTES)
    throw new PackDamaged(
      `the index states that the zstd frame at byte ${frame.offset} inflates to ${frame.inflated} bytes; the limit is ${MAX_INFLATED_BYTES}`,
    );
  // zstd never produces more bytes than this. The check limits the memory for reading.
  if (frame.packed > frame.inflated + (frame.inflated >> 8) + 128)
    throw new PackDamaged(
      `the index states a packed size of ${frame.packed} bytes for the zstd frame at byte ${frame.offset}, which zstd never needs for ${frame.inflated} bytes`,
    );
  return frame;
}

/** Reads a page entry of a leaf. The key is in the bytes from `at` to `end`, and the rest of the entry follows. */
function entryAt(leaf: Buffer, at: number, end: number, frame: FrameEntry | undefined): PageEntry {
  const bytes = leaf.subarray(at, end);
  const key = bytes.toString("utf8");
  const [start, length] = [leaf.readUInt32LE(end + 2), leaf.readUInt32LE(end + 6)];
  if (!isUtf8(bytes) || !KEY.test(key))
    throw new PackDamaged(`the index has ${JSON.stringify(key)}, which is not a valid key of a page`);
  if (frame === undefined || start + length > frame.inflated)
    throw new PackDamaged(`the index gives the page ${key} a position outside the zstd frames that it lists`);
  if (end + ENTRY_BYTES > leaf.length) throw new PackDamaged("a block of the index of the pack ends too early");
  return { key, frame, start, length, sha256: leaf.subarray(end + 10, end + ENTRY_BYTES) };
}

export function encodeRoot({ pages, branches }: Root): Buffer {
  const root = Buffer.alloc(ROOT_BYTES + BRANCH_BYTES * branches.length);
  let at = writeHeader(root);
  at = root.writeUIntLE(pages, at, 6);
  for (const { place, offset, length, sha256 } of branches) {
    at += place.copy(root, at);
    at = root.writeUIntLE(offset, at, 6);
    at = root.writeUInt32LE(length, at);
    at += sha256.copy(root, at);
  }
  at = root.writeUInt32LE(root.length, at);
  MARK.copy(root, at);
  return root;
}

/** Number of bytes at the end of a pack that contain the length of its root. */
export const TAIL_BYTES = 4 + MARK.length;

/**
 * Returns the length of the root in bytes. `tail` are the last bytes of the pack.
 * @throws PackDamaged
 */
export function rootLength(tail: Buffer): number {
  const length = tail.length === TAIL_BYTES ? tail.readUInt32LE(0) : 0;
  if (length < ROOT_BYTES || !tail.subarray(4).equals(MARK))
    throw new PackDamaged(
      `the file does not end with ${MARK.toString("latin1")}, the mark of a pack, so it is truncated or another file`,
    );
  if (length > MAX_ROOT_BYTES)
    throw new PackDamaged(`the root of the index states a length of ${length} bytes; the limit is ${MAX_ROOT_BYTES}`);
  return length;
}

/**
 * Reads the root, which begins at `rootOffset` in the file, after all leaves.
 * @throws PackDamaged
 */
export function decodeRoot(root: Buffer, rootOffset: number): Root {
  requireSkipped(root, "the root of the index");
  const count = (root.length - ROOT_BYTES) / BRANCH_BYTES;
  if (!Number.isInteger(count) || count < 0 || rootLength(root.subarray(-TAIL_BYTES)) !== root.length) {
    throw new PackDamaged("the root of the index has another length than it states");
  }
  const branches: Branch[] = [];
  let [at, end] = [SKIPPED_HEADER + 6, 0];
  let last: Buffer = Buffer.alloc(0);
  for (let i = 0; i < count; i += 1, at += BRANCH_BYTES) {
    const place = root.subarray(at, at + PLACE_BYTES);
    const offset = root.readUIntLE(at + PLACE_BYTES, 6);
    const length = root.readUInt32LE(at + PLACE_BYTES + 6);
    if (offset < end || offset + length > rootOffset || length > MAX_LEAF_BYTES || place.compare(last) <= 0)
      throw new PackDamaged(
        `the root of the index lists a block at byte ${offset}, which is out of order, too large or beyond the last page`,
      );
    [end, last] = [offset + length, place];
    branches.push({ place, offset, length, sha256: root.subarray(at + PLACE_BYTES + 10, at + BRANCH_BYTES) });
  }
  return { pages: root.readUIntLE(SKIPPED_HEADER, 6), branches };
}

function writeHeader(block: Buffer): number {
  block.writeUInt32LE(SKIPPED_MAGIC, 0);
  return block.writeUInt32LE(block.length - SKIPPED_HEADER, 4);
}

function requireSkipped(block: Buffer, what: string): void {
  const isComplete = block.length >= SKIPPED_HEADER && block.readUInt32LE(4) === block.length - SKIPPED_HEADER;
  if (!isComplete || block.readUInt32LE(0) !== SKIPPED_MAGIC)
    throw new PackDamaged(`${what} of the pack does not begin with its length`);
}

/**
 * Finds the page of a key in a leaf without decoding other entries; null if there is none.
 * @throws PackDamaged
 */
export function findInLeaf(leaf: Buffer, key: string): PageEntry | null {
  try {
    return searchLeaf(leaf, Buffer.from(key, "utf8"));
  } catch (cause) {
    throw cause instanceof PackDamaged
      ? cause
      : new PackDamaged("a block of the index of the pack ends too early", { cause });
  }
}

function searchLeaf(leaf: Buffer, keyBytes: Buffer): PageEntry | null {
  requireSkipped(leaf, "a block of the index");
  let at = FRAMES_AT + FRAME_BYTES * leaf.readUInt16LE(SKIPPED_HEADER);
  for (let left = leaf.readUInt16LE(SKIPPED_HEADER + 2); left > 0; left -= 1) {
    const length = leaf.readUInt8(at);
    const end = at + 1 + length;
    if (length === keyBytes.length && keyBytes.equals(leaf.subarray(at + 1, end))) {
      return entryAt(leaf, at + 1, end, frameAt(leaf, leaf.readUInt16LE(end)));
    }
    at = end + ENTRY_BYTES;
  }
  if (at !== leaf.length)
    throw new PackDamaged("a block of the index of the pack has another length than its list of pages");
  return null;
}

/**
 * Identifies a page of a release: the family of pages, such as `2.0/record`, and the key within it, such as a record
 * id.
 */
export interface PageAddress {
  readonly family: string;
  readonly key: string;
}

/** The family of the few pages about the release itself. Their keys are paths. */
export const RELEASE_FAMILY = "release";

export function pageAddress(route: Route, file: PageFile, key: string): PageAddress {
  if (route.subject === "release") return { family: RELEASE_FAMILY, key: pagePath(route, file, key) };
  return { family: `${file.version}/${route.name}`, key };
}

/** Returns into how many packs the pages of a subject are split: 1 below 2,000 keys, 16 up to ten million, 64 beyond. */
export function chooseSplit(keys: number): Split {
  if (keys < 2000) return 1;
  return keys <= 10_000_000 ? 16 : 64;
}

/** Possible numbers of packs for one family. The names of 16 packs end in one hex digit, those of 64 packs in two. */
export const SPLITS = [1, 16, 64] as const;
export type Split = (typeof SPLITS)[number];

/**
 * The range of places (hex digits) that one pack contains, from `from` up to but not including `to`. The name of the
 * pack ends with `name`.
 */
export interface PlaceRange {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** Returns the ranges of all packs, in order. `split` is the number of packs. */
export function listRanges(split: Split): readonly PlaceRange[] {
  if (split === 1) return [{ name: "", from: "", to: "g" }];
  const digits = split === 16 ? 1 : 2;
  const width = 16 ** digits / split;
  const bound = (place: number) => (place === split ? "g" : (place * width).toString(16).padStart(digits, "0"));
  return Array.from({ length: split }, (_, place) => ({
    name: `.${bound(place)}`,
    from: bound(place),
    to: bound(place + 1),
  }));
}

export function packPath(family: string, { name }: Pick<PlaceRange, "name"> = { name: "" }): string {
  return `pages/${family}${name}.zst`;
}

const PACK = /^pages\/(?<family>release|[0-9]+\.[0-9]+\/[a-z-]+)(?:\.(?<from>[0-9a-f]|[0-9a-f][048c]))?\.zst$/;

/** Reads the family and the range of a pack from its path. Returns null if the path is not that of a pack. */
export function readPackPath(path: string): (PlaceRange & { readonly family: string }) | null {
  const { family, from = "" } = PACK.exec(path)?.groups ?? {};
  if (family === undefined) return null;
  const split = SPLITS[from.length];
  const range = split === undefined ? undefined : listRanges(split).find((each) => each.from === from);
  return range === undefined ? null : { family, ...range };
}
