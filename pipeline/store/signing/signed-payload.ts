/** The bytes that signatures are over. */

import { hash } from "node:crypto";

/**
 * The canonical JSON (RFC 8785) of every member but `signature`: also of members that a later version adds, so that a
 * signature is valid for the whole file, not for the members that this program knows.
 */
export function signedPayload(signed: Readonly<Record<string, unknown>>): Uint8Array {
  const { signature: _signature, ...rest } = signed;
  return new TextEncoder().encode(canonical(rest));
}

/** Returns `sha256:<hex>` of the file that a receipt is written to, as the journal records it. */
export function receiptDigest(receipt: Readonly<Record<string, unknown>>): string {
  return `sha256:${hash("sha256", `${JSON.stringify(receipt, null, 2)}\n`)}`;
}

/** Other than what digests are made of, receipts may hold fractions: they are spelled as ECMAScript does, as the RFC has it. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.join(",")}}`;
}
