/** The bytes that the signature of a statement is over: of a receipt, or of what is said of releases and keys beside them. */

import { hash } from "node:crypto";

/**
 * The canonical JSON (RFC 8785) of every member of a statement but `signature`: also of members that a later version adds,
 * so that a signature holds for what the file says and not for what this program knows of it.
 */
export function signedPayload(statement: Readonly<Record<string, unknown>>): Uint8Array {
  const { signature: _signature, ...signed } = statement;
  return new TextEncoder().encode(canonical(signed));
}

/** `sha256:<hex>` of what the signature of a statement is over. */
export function payloadDigest(statement: Readonly<Record<string, unknown>>): string {
  return `sha256:${hash("sha256", signedPayload(statement))}`;
}

/** `sha256:<hex>` of a statement with its signature, by which the next one names it. */
export function statementDigest(statement: Readonly<Record<string, unknown>>): string {
  return `sha256:${hash("sha256", canonical(statement))}`;
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
