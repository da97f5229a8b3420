/** The published key set of a publisher: public keys with their revocation dates, and the signed head. */

import { z } from "zod";
import { named } from "./named.ts";
import { digest } from "./release.ts";
import { retraction } from "./retraction.ts";
import { instant } from "./scalars.ts";
import { signature } from "./signature.ts";

/** Matches 32 bytes in base64url without padding. */
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

/**
 * The head of a publisher: a signed statement about its latest release. A mirror cannot change it, and an old head is
 * noticed as soon as it has expired.
 */
export const head = named(
  "ReleaseHead",
  z
    .object({
      sequence: z
        .int()
        .min(1)
        .describe("Rises with each head. A reader that saw a higher one before was given an old head."),
      createdAt: instant,
      expiresAt: instant.describe("The time from which the head counts as old."),
      releaseDigest: digest.describe("The latest release."),
      scoreReleaseVersion: z.string().describe("The label of the latest release."),
      keys: z.array(releaseKey).describe("All keys of the publisher, with their revocations."),
      retractions: z.array(retraction).describe("All retractions."),
      signature: signature.describe("A signature like that of a receipt, with the type `share-release-head`."),
    })
    .describe("A signed statement that names the latest release, all keys and all retractions, for a limited time."),
);
export type Head = z.infer<typeof head>;

/** A JSON Web Key Set (RFC 7517, section 5). Programs that do not know `head` ignore it. */
export const keySet = named(
  "ReleaseKeys",
  z
    .object({ keys: z.array(releaseKey), head: head.optional() })
    .describe("Public keys that sign receipts, including old and revoked keys, and the head that they sign."),
);

/**
 * A key set whose head is not checked yet. The head keeps all its fields, because its signature also covers fields that
 * this version does not know.
 */
export interface KeySet {
  readonly keys: readonly ReleaseKey[];
  readonly head?: unknown;
}

/** A statement in a key set of an earlier version. Only revocations are used. */
const earlierStatement = z.discriminatedUnion("statement", [
  z.object({ statement: z.literal("rotated") }),
  z.object({ statement: z.literal("revoked"), kid: z.string(), since: instant }),
]);

const writtenKeySet = z.object({
  keys: z.array(releaseKey),
  head: z.unknown().optional(),
  statements: z.array(earlierStatement).default([]),
});

/**
 * Parses a key set. Earlier versions revoked keys by statements; these keys are marked as revoked. New keys in such
 * statements are ignored, because people decide which keys they trust.
 *
 * @throws ZodError if it is not a key set, or a statement is invalid
 */
export function parseKeySet(json: unknown): KeySet {
  const { keys, head, statements } = writtenKeySet.parse(json);
  const revoked = statements.flatMap((each) =>
    each.statement === "revoked" ? [{ kid: each.kid, revoked: each.since }] : [],
  );
  return { keys: keys.map((key) => withRevocations(key, revoked)), ...(head === undefined ? {} : { head }) };
}

/** Returns the key with its revocation date from `key` and `others`; if there are several dates, with the earliest. */
export function withRevocations(
  key: ReleaseKey,
  others: readonly { readonly kid: string; readonly revoked?: string | undefined }[],
): ReleaseKey {
  const [revoked] = [key, ...others]
    .flatMap((each) => (each.kid === key.kid && each.revoked !== undefined ? [each.revoked] : []))
    .sort((one, other) => Date.parse(one) - Date.parse(other));
  return revoked === undefined ? key : { ...key, revoked };
}
