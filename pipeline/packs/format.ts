/**
 * The layout of a pack, as docs/packs.md has it: frames of pages, leaves of the index between them, the root at the end.
 * Numbers are little-endian, as zstd's are.
 */

import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { type PageFile, pagePath, type Route } from "../../api-static/routes/route.ts";

/** Bytes of a place. */
export const PLACE_BYTES = 12;

const RECORD_ID = /^r[0-9a-f]{24}$/;

/** Pages of one key come one after the other, family by family. */
let last: { readonly key: string; readonly place: Buffer } | null = null;

/** A record id is a digest by itself, so that records stand in the order of their ids; of any other key it is its sha256. */
export function placeOf(key: string): Buffer {
  if (key === last?.key) return last.place;
  const digits = RECORD_ID.test(key) ? key.slice(1) : hash("sha256", key).slice(0, 2 * PLACE_BYTES);
  const place = Buffer.from(digits, "hex");
  last = { key, place };
  return place;
}

/** What leaves and the root begin with: zstd's magic number of a frame that every tool skips, then four bytes of length. */
export const SKIPPED_MAGIC = 0x184d2a5e;
export const SKIPPED_HEADER = 8;

/** Bytes of a frame's entry in a leaf: offset in the pack (6), packed length (4), inflated length (4). */
const FRAME_BYTES = 14;

/** Where the frames of a leaf begin: behind the counts of frames and pages (2 each). */
const FRAMES_AT = SKIPPED_HEADER + 4;

/** Bytes of a page's entry in a leaf behind its key: number of the frame (2), start and length in it (4 each), sha256. */
const ENTRY_BYTES = 42;

/** Bytes of a leaf's entry in the root: first place, offset in the pack (6), length (4), sha256. */
const BRANCH_BYTES = PLACE_BYTES + 10 + 32;

/** Bytes of the root besides its entries: header, count of pages (6), its own length (4) and the mark. */
const ROOT_BYTES = SKIPPED_HEADER + 6 + 4 + 8;

/** The last bytes of every pack. */
export const MARK = Buffer.from("SHAREPK1", "latin1");

/** A leaf is ended at the first end of a frame after so many pages. */
export const LEAF_PAGES = 256;

/** Pages are put into one frame until it has so many bytes, whatever their keys are. */
export const FRAME_LIMIT = 256 * 1024;

/** Pages of a frame at the most. */
export const FRAME_PAGES = 4096;

/** No page is larger. */
export const PAGE_LIMIT = 64 * 1024 * 1024;

/** No frame inflates to more. */
export const INFLATED_LIMIT = FRAME_LIMIT + PAGE_LIMIT;

/** No leaf is longer: {@link LEAF_PAGES} and {@link FRAME_PAGES} with the longest keys there are. */
export const LEAF_LIMIT = 2 * 1024 * 1024;

/** No root is longer: enough for some seventy million pages in one pack. */
export const ROOT_LIMIT = 16 * 1024 * 1024;

/** Pages that are alike share a text with one of so many different texts before them, and none further back. */
export const TEXTS_BACK = 4096;

/** What a key may have: a line of its own in what the root over pages is made of. */
export const KEY = /^[^\p{Cc}]+$/u;

/** A zstd frame of a pack. */
export interface FrameEntry {
  readonly offset: number;
  readonly packed: number;
  readonly inflated: number;
}

/** A page: its key, and where it lies in an inflated frame. */
export interface PageEntry {
  readonly key: string;
  readonly frame: FrameEntry;
  readonly start: number;
  readonly length: number;
  readonly sha256: Buffer;
}

/** A leaf of the index, as the root knows it. */
export interface Branch {
  /** Place of its first page. */
  readonly place: Buffer;
  readonly offset: number;
  readonly length: number;
  readonly sha256: Buffer;
}

export interface Root {
  readonly pages: number;
  readonly branches: readonly Branch[];
}

/** A pack that is not what the format says. */
export class PackDamaged extends Error {
  readonly code = "pack-damaged";
}

/** The bytes of a leaf. */
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

/** @throws PackDamaged */
export function decodeLeaf(leaf: Buffer): PageEntry[] {
  try {
    return readLeaf(leaf);
  } catch (cause) {
    throw cause instanceof PackDamaged ? cause : new PackDamaged("a leaf of the index ends too early", { cause });
  }
}

function readLeaf(leaf: Buffer): PageEntry[] {
  requireSkipped(leaf, "a leaf of the index");
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
  if (at !== leaf.length || unused.size > 0) throw new PackDamaged("a leaf of the index has bytes of no page");
  return entries;
}

/** A frame of a leaf by its place among them. */
function frameAt(leaf: Buffer, place: number): FrameEntry {
  const at = FRAMES_AT + FRAME_BYTES * place;
  const frame = {
    offset: leaf.readUIntLE(at, 6),
    packed: leaf.readUInt32LE(at + 6),
    inflated: leaf.readUInt32LE(at + 10),
  };
  if (frame.inflated > INFLATED_LIMIT)
    throw new PackDamaged(`a frame says that it inflates to ${frame.inflated} bytes`);
  // What zstd needs at the most: nobody has to make room for more.
  if (frame.packed > frame.inflated + (frame.inflated >> 8) + 128)
    throw new PackDamaged(`a frame of ${frame.inflated} bytes says that it takes up ${frame.packed}`);
  return frame;
}

/** The page whose key lies from `at` to `end`, and the rest behind it. */
function entryAt(leaf: Buffer, at: number, end: number, frame: FrameEntry | undefined): PageEntry {
  const bytes = leaf.subarray(at, end);
  const key = bytes.toString("utf8");
  const [start, length] = [leaf.readUInt32LE(end + 2), leaf.readUInt32LE(end + 6)];
  if (!isUtf8(bytes) || !KEY.test(key)) throw new PackDamaged(`${JSON.stringify(key)} is no key`);
  if (frame === undefined || start + length > frame.inflated) throw new PackDamaged(`${key} lies in no frame`);
  if (end + ENTRY_BYTES > leaf.length) throw new PackDamaged("a leaf of the index ends too early");
  return { key, frame, start, length, sha256: leaf.subarray(end + 10, end + ENTRY_BYTES) };
}

/** The bytes of the root. */
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

/** Bytes at the end of a pack that tell how long its root is. */
export const TAIL_BYTES = 4 + MARK.length;

/**
 * How long the root is that ends with `tail`.
 * @throws PackDamaged
 */
export function rootLength(tail: Buffer): number {
  const length = tail.length === TAIL_BYTES ? tail.readUInt32LE(0) : 0;
  if (length < ROOT_BYTES || !tail.subarray(4).equals(MARK)) throw new PackDamaged("it does not end as a pack does");
  if (length > ROOT_LIMIT) throw new PackDamaged(`the root of its index says that it has ${length} bytes`);
  return length;
}

/**
 * The root that begins at `rootOffset`; its leaves come one after the other before it.
 * @throws PackDamaged
 */
export function decodeRoot(root: Buffer, rootOffset: number): Root {
  requireSkipped(root, "the root of the index");
  const count = (root.length - ROOT_BYTES) / BRANCH_BYTES;
  if (!Number.isInteger(count) || count < 0 || rootLength(root.subarray(-TAIL_BYTES)) !== root.length) {
    throw new PackDamaged("the root of its index has another length than it says");
  }
  const branches: Branch[] = [];
  let [at, end] = [SKIPPED_HEADER + 6, 0];
  let last: Buffer = Buffer.alloc(0);
  for (let i = 0; i < count; i += 1, at += BRANCH_BYTES) {
    const place = root.subarray(at, at + PLACE_BYTES);
    const offset = root.readUIntLE(at + PLACE_BYTES, 6);
    const length = root.readUInt32LE(at + PLACE_BYTES + 6);
    if (offset < end || offset + length > rootOffset || length > LEAF_LIMIT || place.compare(last) <= 0)
      throw new PackDamaged(`the leaf at ${offset} does not lie where leaves do`);
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
  const whole = block.length >= SKIPPED_HEADER && block.readUInt32LE(4) === block.length - SKIPPED_HEADER;
  if (!whole || block.readUInt32LE(0) !== SKIPPED_MAGIC) throw new PackDamaged(`${what} is no frame of its length`);
}

/**
 * The page of a key in a leaf, without reading the others; null where there is none.
 * @throws PackDamaged
 */
export function findInLeaf(leaf: Buffer, key: string): PageEntry | null {
  try {
    return searchLeaf(leaf, Buffer.from(key, "utf8"));
  } catch (cause) {
    throw cause instanceof PackDamaged ? cause : new PackDamaged("a leaf of the index ends too early", { cause });
  }
}

function searchLeaf(leaf: Buffer, wanted: Buffer): PageEntry | null {
  requireSkipped(leaf, "a leaf of the index");
  let at = FRAMES_AT + FRAME_BYTES * leaf.readUInt16LE(SKIPPED_HEADER);
  for (let left = leaf.readUInt16LE(SKIPPED_HEADER + 2); left > 0; left -= 1) {
    const length = leaf.readUInt8(at);
    const end = at + 1 + length;
    if (length === wanted.length && wanted.equals(leaf.subarray(at + 1, end))) {
      return entryAt(leaf, at + 1, end, frameAt(leaf, leaf.readUInt16LE(end)));
    }
    at = end + ENTRY_BYTES;
  }
  if (at !== leaf.length) throw new PackDamaged("a leaf of the index has another length than its pages");
  return null;
}

/** Where a page is: its family, and its key there. */
export interface PageAddress {
  readonly family: string;
  readonly key: string;
}

/** Pages that name the release are few, and in one pack, by the path that a tree of files has for them. */
export const RELEASE_FAMILY = "release";

/** `file` is one of the route's. */
export function pageAddress(route: Route, file: PageFile, key: string): PageAddress {
  if (route.subject === "release") return { family: RELEASE_FAMILY, key: pagePath(route, file, key) };
  return { family: `${file.version}/${route.name}`, key };
}

/** How many packs the pages of a subject are in: one below 2,000 keys, sixteen up to ten million, then sixty-four. */
export function splitOf(keys: number): Split {
  if (keys < 2000) return 1;
  return keys <= 10_000_000 ? 16 : 64;
}

/** By how many hex digits the names of their packs end with. */
export const SPLITS = [1, 16, 64] as const;
export type Split = (typeof SPLITS)[number];

/** Places from `from` up to, not including, `to`, as hex digits; `name` is what the names of their packs end with. */
export interface PlaceRange {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** The ranges of so many packs, in order. */
export function rangesOf(split: Split): readonly PlaceRange[] {
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

/** Path of a pack below the release folder. */
export function packPath(family: string, { name }: Pick<PlaceRange, "name"> = { name: "" }): string {
  return `pages/${family}${name}.zst`;
}

const PACK = /^pages\/(?<family>release|[0-9]+\.[0-9]+\/[a-z-]+)(?:\.(?<from>[0-9a-f]|[0-9a-f][048c]))?\.zst$/;

/** The family of a pack and the range of its places, from its path; null for any other file. */
export function readPackPath(path: string): (PlaceRange & { readonly family: string }) | null {
  const { family, from = "" } = PACK.exec(path)?.groups ?? {};
  if (family === undefined) return null;
  const split = SPLITS[from.length];
  const range = split === undefined ? undefined : rangesOf(split).find((each) => each.from === from);
  return range === undefined ? null : { family, ...range };
}

/** Neighbouring ranges as one, so that `count` are left at the most; every place is in just one of them, as it was before. */
export function joinedRanges(ranges: readonly PlaceRange[], count: number): readonly PlaceRange[] {
  const starts = Array.from({ length: count }, (_, place) => Math.floor((place * ranges.length) / count));
  return [...new Set(starts)].flatMap((start, place, all) => {
    const own = ranges.slice(start, all[place + 1]);
    const [first, last] = [own[0], own.at(-1)];
    return first === undefined || last === undefined ? [] : [{ name: first.name, from: first.from, to: last.to }];
  });
}
