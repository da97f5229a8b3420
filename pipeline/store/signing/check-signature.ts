/** Checking a receipt's signature against keys one trusts. */

import { compactVerify, decodeProtectedHeader, importJWK } from "jose";
import type { ReleaseKey } from "../../../schemas/public/release-key.ts";
import { receiptPayload } from "./receipt-payload.ts";
import { SIGNATURE_TYPE } from "./sign.ts";

/** Both names of the same algorithm: RFC 8037, and RFC 9864 after it. Nothing else is ever tried. */
const ALGORITHMS = ["EdDSA", "Ed25519"];

const DETACHED = /^([A-Za-z0-9_-]+)\.\.([A-Za-z0-9_-]+)$/;

/** The fault of the signature of a receipt, as it was read from its file; null where it holds. */
export async function signatureFault(
  receipt: Readonly<Record<string, unknown>>,
  keys: readonly ReleaseKey[],
): Promise<string | null> {
  const { signature } = receipt;
  if (signature === null || signature === undefined) return "the release is not signed";
  const kid = signingKeyOf(signature);
  if (typeof signature !== "string" || kid === null) return "the signature cannot be read";
  const key = keys.find((each) => each.kid === kid);
  if (key === undefined) return `the signature is by the key ${kid}, which is none of those given`;
  const holds = await isSignedBy(key, signature, receiptPayload(receipt));
  return holds ? null : `the signature by the key ${kid} is not of this receipt`;
}

/** The `kid` that a signature claims; null where it cannot be read. */
export function signingKeyOf(signature: unknown): string | null {
  if (typeof signature !== "string" || !DETACHED.test(signature)) return null;
  try {
    const { kid, typ } = decodeProtectedHeader(signature);
    return typeof kid === "string" && typ === SIGNATURE_TYPE ? kid : null;
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
