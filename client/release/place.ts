/** Where a key stands among the pages of its family (docs/packs.md, "Places"). */

import { hexOf, sha256 } from "./files.ts";

export const RECORD_ID = /^r[0-9a-f]{24}$/;

/** Twelve bytes as hex digits, which compare as the bytes do. */
export async function placeOf(key: string): Promise<string> {
  if (RECORD_ID.test(key)) return key.slice(1);
  return hexOf((await sha256(new TextEncoder().encode(key))).subarray(0, 12));
}
