/** Entity tags: made from the bytes alone, so that every server sends the same one for the same content. */

import { hash } from "node:crypto";

/** Strong tag of a content. */
export function etagOf(bytes: Uint8Array): string {
  return etagOfDigest(hash("sha256", bytes, "hex"), bytes.length);
}

/** The same for a sha256 in hex and a length in bytes that are known already, as from a manifest; docs/packs.md documents the form. */
export function etagOfDigest(sha256: string, bytes: number): string {
  const start = Math.max(1, Number.parseInt(sha256.slice(0, 8), 16) >>> 1);
  return `"${start.toString(16)}-${bytes.toString(16)}"`;
}

/** Whether If-None-Match names the tag. The comparison is weak (RFC 9110, 13.1.2): caches may have marked it `W/`. */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
