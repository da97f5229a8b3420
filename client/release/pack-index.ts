/** Reads the index of a pack, its root and its leaves, as docs/packs.md describes. */

import { PackFault, sha256, toHex } from "./files.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A part of a pack, with the digest that its bytes must have. */
export interface ProvenPart {
  readonly offset: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** The position of a page in a pack. */
export interface FoundPage {
  readonly frame: { readonly offset: number; readonly bytes: number; readonly inflated: number };
  readonly start: number;
  readonly bytes: number;
  readonly sha256: string;
}

const MARK = "SHAREPK1";
const [ROOT_HEAD, ROOT_ENTRY, ROOT_END] = [14, 54, 12];
const [LEAF_HEAD, FRAME_ENTRY] = [12, 14];

/**
 * Maximum bytes of a frame after decompression. A frame contains pages of less than 256 KiB in total, and then one more
 * page of at most 64 MiB.
 */
const MAX_FRAME_BYTES = 64 * 1024 * 1024 + 256 * 1024;

const makeDataView = (bytes: Bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const u48 = (view: DataView, at: number) => view.getUint32(at, true) + view.getUint16(at + 4, true) * 2 ** 32;

/**
 * Returns the leaf of the index that lists the page at a place, if the pack has one; null if the place is before the first
 * leaf. `place` is in hex digits ({@link computePlace}).
 * @throws PackFault if the root is invalid
 */
export function leafIn(root: Bytes, place: string): ProvenPart | null {
  const view = makeDataView(root);
  const mark = new TextDecoder().decode(root.subarray(-8));
  if (mark !== MARK)
    throw new PackFault(`has the layout ${mark}, which this version of the client cannot read; install a newer one`);
  if (view.getUint32(root.length - ROOT_END, true) !== root.length || view.getUint32(4, true) !== root.length - 8) {
    throw new PackFault("is damaged: the index of the pack does not have the length that it states");
  }
  let found: ProvenPart | null = null;
  for (let at = ROOT_HEAD; at + ROOT_ENTRY <= root.length - ROOT_END; at += ROOT_ENTRY) {
    if (toHex(root.subarray(at, at + 12)) > place) break;
    found = {
      offset: u48(view, at + 12),
      bytes: view.getUint32(at + 18, true),
      sha256: toHex(root.subarray(at + 22, at + ROOT_ENTRY)),
    };
  }
  return found;
}

/**
 * Returns the position of a page in its pack; null if the leaf does not list the page.
 * @throws PackFault if the leaf is invalid
 */
export function pageIn(leaf: Bytes, key: string): FoundPage | null {
  const view = makeDataView(leaf);
  const frames = view.getUint16(8, true);
  const keyBytes = new TextEncoder().encode(key);
  for (let at = LEAF_HEAD + FRAME_ENTRY * frames; at < leaf.length; ) {
    const end = at + 1 + view.getUint8(at);
    if (end - at - 1 === keyBytes.length && keyBytes.every((byte, i) => leaf[at + 1 + i] === byte)) {
      const entry = LEAF_HEAD + FRAME_ENTRY * view.getUint16(end, true);
      const frame = {
        offset: u48(view, entry),
        bytes: view.getUint32(entry + 6, true),
        inflated: view.getUint32(entry + 10, true),
      };
      const [start, bytes] = [view.getUint32(end + 2, true), view.getUint32(end + 6, true)];
      if (start + bytes > frame.inflated || frame.inflated > MAX_FRAME_BYTES)
        throw new PackFault(
          "is damaged: the index of the pack places a page outside the compressed block of that page",
        );
      return { frame, start, bytes, sha256: toHex(leaf.subarray(end + 10, end + 42)) };
    }
    at = end + 42;
  }
  return null;
}

export const RECORD_ID = /^r[0-9a-f]{24}$/;

/**
 * Returns the place of a key, by which the pages of a pack are sorted: twelve bytes in hex digits. For a record id, these
 * are its digits; for another key, the first bytes of its sha256.
 */
export async function computePlace(key: string): Promise<string> {
  if (RECORD_ID.test(key)) return key.slice(1);
  return toHex((await sha256(new TextEncoder().encode(key))).subarray(0, 12));
}
