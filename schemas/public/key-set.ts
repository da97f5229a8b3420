/** The published key set: the public keys of a publisher with their revocation dates. */

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
      kid: z.string().min(1).max(200).describe("The `kid` in the signature of a receipt."),
      alg: z.literal("EdDSA"),
      use: z.literal("sig"),
      created: instant.optional().describe("The time of its creation; old keys do not have it."),
      revoked: instant.optional().describe("The time from which signatures by this key are not valid."),
    })
    .describe("A public Ed25519 key."),
);
export type ReleaseKey = z.infer<typeof releaseKey>;

export const privateReleaseKey = releaseKey.extend({ d: bytes32 });
export type PrivateReleaseKey = z.infer<typeof privateReleaseKey>;

/** A JSON Web Key Set (RFC 7517, section 5). */
export const keySet = named(
  "ReleaseKeys",
  z.object({ keys: z.array(releaseKey) }).describe("Public keys that sign receipts, including old and revoked keys."),
);
export type KeySet = z.infer<typeof keySet>;

/** A revocation in the signed statements of earlier versions. */
const earlierStatement = z.discriminatedUnion("statement", [
  z.object({ statement: z.literal("rotated") }),
  z.object({ statement: z.literal("revoked"), kid: z.string(), since: instant }),
]);

const earlierKeySet = keySet.extend({ statements: z.array(earlierStatement).default([]) });

/**
 * Returns the key set in a JSON value. Earlier versions revoked keys by statements; such keys are marked as revoked.
 * Successors in these statements are ignored, because people decide which new key they trust.
 *
 * @throws ZodError if it is not a key set, or a statement is invalid
 */
export function parseKeySet(json: unknown): KeySet {
  const { keys, statements } = earlierKeySet.parse(json);
  const revoked = statements.flatMap((each) =>
    each.statement === "revoked" ? [{ kid: each.kid, revoked: each.since }] : [],
  );
  return { keys: keys.map((key) => withRevocations(key, revoked)) };
}

/** Returns the key with the earliest of its known revocation dates. */
export function withRevocations(
  key: ReleaseKey,
  others: readonly { readonly kid: string; readonly revoked?: string | undefined }[],
): ReleaseKey {
  const [revoked] = [key, ...others]
    .flatMap((each) => (each.kid === key.kid && each.revoked !== undefined ? [each.revoked] : []))
    .sort((one, other) => Date.parse(one) - Date.parse(other));
  return revoked === undefined ? key : { ...key, revoked };
}

const LONGEST = 2000;

/** Maximum number of signatures. A rotation needs two. */
const MOST_KEYS = 8;

const part = z.string().min(1).max(LONGEST);

const keySignature = named(
  "KeySignature",
  z.strictObject({ protected: part, signature: part }).describe("The signature by one key."),
);

const keySignatures = named(
  "KeySignatures",
  z
    .strictObject({ signatures: z.array(keySignature).min(1).max(MOST_KEYS) })
    .describe(
      "Signatures by several keys, for example during a rotation, in the general JSON serialisation (RFC 7515).",
    ),
);

export const signature = named(
  "Signature",
  z
    .union([
      z.string().max(LONGEST).describe("A signature by one key, in compact form: `<header>..<signature>`."),
      keySignatures,
    ])
    .describe("A detached JSON Web Signature (RFC 7515) over the canonical JSON of the other fields."),
);
export type Signature = z.infer<typeof signature>;
