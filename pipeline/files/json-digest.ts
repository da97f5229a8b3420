/** Computes digests of contracts, pledges and policies. */

import { hash } from "#hash";
import { canonicalJson } from "./canonical-json.ts";

/**
 * Returns the sha256 of the canonical JSON of a value. The digest of a contract also covers the wording of its questions.
 */
export function jsonDigest(value: unknown): string {
  return `sha256:${hash("sha256", canonicalJson(value))}`;
}
