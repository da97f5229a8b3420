/** Signing: a detached JSON Web Signature (RFC 7515, appendix F) by an Ed25519 key (RFC 8037). */

import { CompactSign, importJWK } from "jose";
import type { PrivateReleaseKey, ReleaseKey } from "../../../schemas/public/release-key.ts";
import { publicPart } from "./keys.ts";

/** Signs on behalf of one key. */
export interface Signer {
  readonly key: ReleaseKey;
  /** The compact form without its middle part: `<header>..<signature>`. */
  sign(payload: Uint8Array, kind: SignedKind): Promise<string>;
}

/** Kept in the protected header, as `typ`: a signature of something else by the same key is none of a receipt. */
export const SIGNATURE_TYPES = {
  receipt: "share-release-receipt",
  retraction: "share-release-retraction",
  rotation: "share-release-key-rotation",
  revocation: "share-release-key-revocation",
} as const;

export type SignedKind = keyof typeof SIGNATURE_TYPES;

export async function signerOf(key: PrivateReleaseKey): Promise<Signer> {
  const secret = await importJWK(key);
  return {
    key: publicPart(key),
    async sign(payload, kind) {
      const header = { alg: key.alg, kid: key.kid, typ: SIGNATURE_TYPES[kind] };
      const whole = await new CompactSign(payload).setProtectedHeader(header).sign(secret);
      const [protectedHeader, , signature] = whole.split(".");
      return `${protectedHeader}..${signature}`;
    },
  };
}
