/** Entity tags: made from the bytes, or from a time that was, and in nginx's form, so that whoever computes one gets the same. */

import { hash } from "node:crypto";
import { contentTime } from "../../../api-static/pages/content-time.ts";

/** Strong tag of a content. */
export function etagOf(bytes: Uint8Array): string {
  return etagOfDigest(hash("sha256", bytes, "hex"), bytes.length);
}

/** The same, where sha256 and length are known already (a manifest names them): nginx's `"<time>-<size>"`, in hex. */
export function etagOfDigest(sha256: string, bytes: number): string {
  return `"${contentTime(sha256).toString(16)}-${bytes.toString(16)}"`;
}

/** Whether If-None-Match names the tag. The comparison is weak (RFC 9110, 13.1.2): caches may have marked it `W/`. */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
