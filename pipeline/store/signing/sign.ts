/** Signing: a detached JSON Web Signature (RFC 7515, appendix F) by one Ed25519 key (RFC 8037), or by several. */

import { GeneralSign, importJWK } from "jose";
import type { PrivateReleaseKey, ReleaseKey } from "../../../schemas/public/release-key.ts";
import type { Signature } from "../../../schemas/public/signature.ts";
import { publicPart } from "./keys.ts";

/** Signs with each of its keys. */
export interface Signer {
  readonly keys: readonly ReleaseKey[];
  sign(payload: Uint8Array, kind: SignedKind): Promise<Signature>;
}

/** The `typ` of the protected header: a signature of something else by the same key does not count for a receipt. */
export const SIGNATURE_TYPES = { receipt: "share-release-receipt", retraction: "share-release-retraction" } as const;

export type SignedKind = keyof typeof SIGNATURE_TYPES;

/** A signature by one key is written in the compact form, which earlier versions read as well. */
export async function signerOf(...keys: readonly PrivateReleaseKey[]): Promise<Signer> {
  const secrets = await Promise.all(keys.map(async (key) => ({ key, secret: await importJWK(key) })));
  return {
    keys: keys.map(publicPart),
    async sign(payload, kind) {
      const jws = new GeneralSign(payload);
      for (const { key, secret } of secrets)
        jws.addSignature(secret).setProtectedHeader({ alg: key.alg, kid: key.kid, typ: SIGNATURE_TYPES[kind] });
      const signatures = (await jws.sign()).signatures.map((each) => ({
        protected: each.protected ?? "",
        signature: each.signature,
      }));
      const [first, second] = signatures;
      return first !== undefined && second === undefined ? `${first.protected}..${first.signature}` : { signatures };
    },
  };
}
