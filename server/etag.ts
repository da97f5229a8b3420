/** Entity tags: made from the bytes alone, so that whoever computes one gets the same. */

import { hash } from "node:crypto";

/** Strong tag of a content: the first 32 hex digits of its sha256, quoted. */
export function etagOf(bytes: Uint8Array): string {
  return etagOfDigest(hash("sha256", bytes, "hex"));
}

/** The same, where the sha256 is known already (a manifest names it). */
export function etagOfDigest(sha256: string): string {
  return `"${sha256.slice(0, 32)}"`;
}

/** Whether If-None-Match names the tag. The comparison is weak (RFC 9110, 13.1.2): caches may have marked it `W/`. */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
