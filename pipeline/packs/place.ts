/** Where a key stands in the order of pages: twelve bytes that spread keys evenly, and that anyone can work out. */

import { hash } from "node:crypto";

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
