/** Keys that sign receipts: Ed25519 as JSON Web Keys (RFC 7517, RFC 8037), the public ones published in a key set. */

import { z } from "zod";
import { named } from "./named.ts";
import { instant } from "./scalars.ts";

/** 32 bytes in base64url without padding. */
const bytes32 = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/** A public key. `kid` is its SHA-256 thumbprint (RFC 7638). */
export const releaseKey = named(
  "ReleaseKey",
  z
    .object({
      kty: z.literal("OKP"),
      crv: z.literal("Ed25519"),
      x: bytes32.describe("The public key, 32 bytes in base64url."),
      kid: z.string().min(1).max(200).describe("Names the key: the `kid` of a receipt's signature."),
      alg: z.literal("EdDSA"),
      use: z.literal("sig"),
      created: instant.optional().describe("The time it was made; older keys do not have it."),
      revoked: instant.optional().describe("The time from which signatures by this key no longer count."),
    })
    .describe("A public Ed25519 key."),
);
export type ReleaseKey = z.infer<typeof releaseKey>;

export const privateReleaseKey = releaseKey.extend({ d: bytes32 });
export type PrivateReleaseKey = z.infer<typeof privateReleaseKey>;
