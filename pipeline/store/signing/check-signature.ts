/** Checking the signature of a receipt, or of another statement, against keys one trusts. */

import { compactVerify, decodeProtectedHeader, importJWK } from "jose";
import type { ReleaseKey } from "../../../schemas/public/release-key.ts";
import { SIGNATURE_TYPES, type SignedKind } from "./sign.ts";
import { signedPayload } from "./signed-payload.ts";

/** Both names of the same algorithm: RFC 8037, and RFC 9864 after it. Nothing else is ever tried. */
const ALGORITHMS = ["EdDSA", "Ed25519"];

const DETACHED = /^([A-Za-z0-9_-]+)\.\.([A-Za-z0-9_-]+)$/;

const NAMES: Readonly<Record<SignedKind, string>> = { receipt: "release", retraction: "retraction" };

/** The fault of the signature of a statement, as it was read from its file; null where it holds. */
export async function signatureFault(
  statement: Readonly<Record<string, unknown>>,
  keys: readonly ReleaseKey[],
  kind: SignedKind = "receipt",
): Promise<string | null> {
  const { signature } = statement;
  if (signature === null || signature === undefined) return `the ${NAMES[kind]} is not signed`;
  const kid = signingKeyOf(signature, kind);
  if (typeof signature !== "string" || kid === null) return "the signature cannot be read";
  const key = keys.find((each) => each.kid === kid);
  if (key === undefined) return `the signature is by the key ${kid}, which is none of those given`;
  const holds = await isSignedBy(key, signature, signedPayload(statement));
  return holds ? null : `the signature by the key ${kid} is not of this ${kind}`;
}

/** The `kid` that a signature claims; null where it cannot be read, or is one of something else. */
export function signingKeyOf(signature: unknown, kind: SignedKind = "receipt"): string | null {
  if (typeof signature !== "string" || !DETACHED.test(signature)) return null;
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
