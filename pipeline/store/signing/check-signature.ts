/** Checking the signature of a receipt, or of another statement, against keys one trusts. */

import { compactVerify, decodeProtectedHeader, importJWK } from "jose";
import type { ReleaseKey } from "../../../schemas/public/release-key.ts";
import { SIGNATURE_TYPES, type SignedKind } from "./sign.ts";
import { payloadDigest, signedPayload } from "./signed-payload.ts";

/** A key one trusts, with what was said of it that bears on what it signed. */
export interface TrustedKey extends ReleaseKey {
  /** The key in its place; what it signed goes on to count. */
  readonly successor?: string;
  readonly revoked?: Revoked;
}

/** That a key was revoked: what it signed counts no more, but for these payloads. */
export interface Revoked {
  readonly since: string;
  readonly reason: string;
  /** Digests of payloads. */
  readonly payloads: ReadonlySet<string>;
}

/** Both names of the same algorithm: RFC 8037, and RFC 9864 after it. Nothing else is ever tried. */
const ALGORITHMS = ["EdDSA", "Ed25519"];

const DETACHED = /^([A-Za-z0-9_-]+)\.\.([A-Za-z0-9_-]+)$/;

const NAMES: Readonly<Record<SignedKind, string>> = {
  receipt: "release",
  retraction: "retraction",
  rotation: "rotation",
  revocation: "revocation",
};

/** The fault of the signature of a statement, as it was read from its file; null where it holds. */
export async function signatureFault(
  statement: Readonly<Record<string, unknown>>,
  keys: readonly TrustedKey[],
  kind: SignedKind = "receipt",
): Promise<string | null> {
  const { signature } = statement;
  if (signature === null || signature === undefined) return `the ${NAMES[kind]} is not signed`;
  const kid = signingKeyOf(signature, kind);
  if (typeof signature !== "string" || kid === null) return "the signature cannot be read";
  const key = keys.find((each) => each.kid === kid);
  if (key === undefined) return `the signature is by the key ${kid}, which is none of those given`;
  const holds = await isSignedBy(key, signature, signedPayload(statement));
  if (!holds) return `the signature by the key ${kid} is not of this ${kind}`;
  if (key.revoked === undefined || !isDisowned(key, statement)) return null;
  return `the signature is ${disownedWords({ kid, reason: key.revoked.reason })}`;
}

/** Whether a key was revoked and what it signed here is none of what stays good: what anybody reads of keys asks this. */
export function isDisowned({ revoked }: TrustedKey, statement: Readonly<Record<string, unknown>>): boolean {
  return revoked !== undefined && !revoked.payloads.has(payloadDigest(statement));
}

/** Goes on after "it is" or "it is signed". */
export function disownedWords({ kid, reason }: { readonly kid: string; readonly reason: string }): string {
  return `by the key ${kid}, which was revoked (${reason}), and is none of those by it that stay good`;
}

/** Whether it may sign, and speak of other keys. */
export function isInUse({ successor, revoked }: TrustedKey): boolean {
  return successor === undefined && revoked === undefined;
}

/** The `kid` that a signature claims; null where it cannot be read, or is one of something else. */
export function signingKeyOf(signature: unknown, kind: SignedKind = "receipt"): string | null {
  if (typeof signature !== "string" || !DETACHED.test(signature)) return null;
  // The last letter has spare bits: who changes them has another text of the same signature, and needs no key.
  if (signature.split("..").some((part) => Buffer.from(part, "base64url").toString("base64url") !== part)) return null;
  try {
    const { kid, typ } = decodeProtectedHeader(signature);
    return typeof kid === "string" && typ === SIGNATURE_TYPES[kind] ? kid : null;
  } catch {
    return null;
  }
}

async function isSignedBy(key: ReleaseKey, signature: string, payload: Uint8Array): Promise<boolean> {
  const middle = Buffer.from(payload).toString("base64url");
  try {
    await compactVerify(signature.replace("..", `.${middle}.`), await importJWK(key), { algorithms: ALGORITHMS });
    return true;
  } catch {
    return false;
  }
}
