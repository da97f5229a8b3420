/** The published key set: the public keys of a publisher, and what was said of them, signed, chained and never taken back. */

import { z } from "zod";
import { named } from "./named.ts";
import { digest } from "./release.ts";
import { releaseKey } from "./release-key.ts";
import { retractionReason } from "./retraction.ts";
import { instant } from "./scalars.ts";

const { kid } = releaseKey.shape;
const at = instant.describe("The time it was said, by the clock of whoever said it.");
const before = digest
  .nullable()
  .describe("Digest of the statement before it in the set, its signature included; null in the first.");
const signature = (type: string) =>
  z
    .string()
    .max(2000)
    .describe(
      `A detached JWS over the other members, as that of a receipt, of the type \`share-release-key-${type}\`.`,
    );

export const keyRotation = named(
  "KeyRotation",
  z
    .strictObject({
      statement: z.literal("rotated"),
      kid: kid.describe("The key that was replaced. It signs this, and says nothing of other keys from then on."),
      to: releaseKey.describe("The key in its place, which is trusted by whoever trusts the other."),
      at,
      before,
      signature: signature("rotation"),
    })
    .describe("A signed statement that a key was replaced by another."),
);
export type KeyRotation = z.infer<typeof keyRotation>;

export const keyRevocation = named(
  "KeyRevocation",
  z
    .strictObject({
      statement: z.literal("revoked"),
      kid: kid.describe("The key that was revoked."),
      since: instant.describe(
        "The moment from which it is not trusted: `payloads` are what its publisher had seen by then.",
      ),
      reason: retractionReason.describe("The publisher's reason, in one line."),
      payloads: z
        .array(digest)
        .describe(
          "Digests of the payloads it signed that stay good: all others by this key are refused, whatever date they bear.",
        ),
      at,
      before,
      signature: signature("revocation"),
    })
    .describe("A signed statement that a key was revoked, and what it signed that stays good."),
);
export type KeyRevocation = z.infer<typeof keyRevocation>;

export const keyStatement = named("KeyStatement", z.discriminatedUnion("statement", [keyRotation, keyRevocation]));
export type KeyStatement = z.infer<typeof keyStatement>;

/** A JSON Web Key Set (RFC 7517, section 5), with a member more. */
export const keySet = named(
  "ReleaseKeys",
  z
    .object({
      keys: z.array(releaseKey),
      statements: z
        .array(keyStatement)
        .default([])
        .describe(
          "Statements that keys were replaced or revoked, oldest first. Each names the one before it, so that none can be taken out unseen.",
        ),
    })
    .describe("Public keys that receipts are signed with, those no longer in use included, and what was said of them."),
);
export type KeySet = z.infer<typeof keySet>;
