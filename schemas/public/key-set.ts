/** The published key set: the public keys of a publisher, and the dates from which some no longer count. */

import { z } from "zod";
import { named } from "./named.ts";
import { type ReleaseKey, releaseKey } from "./release-key.ts";
import { instant } from "./scalars.ts";

/** A JSON Web Key Set (RFC 7517, section 5). */
export const keySet = named(
  "ReleaseKeys",
  z
    .object({ keys: z.array(releaseKey) })
    .describe("Public keys that receipts are signed with. Keys that are no longer in use, or revoked, stay."),
);
export type KeySet = z.infer<typeof keySet>;

/** The part of an earlier version's signed statements that takes trust away. */
const earlierStatement = z.discriminatedUnion("statement", [
  z.object({ statement: z.literal("rotated") }),
  z.object({ statement: z.literal("revoked"), kid: z.string(), since: instant }),
]);

const earlierKeySet = keySet.extend({ statements: z.array(earlierStatement).default([]) });

/**
 * Returns the key set in a JSON value. Earlier versions revoked keys by statements beside the keys: such a key is marked as
 * revoked. That a statement names a successor is ignored, since trust in a new key is given by people.
 * @throws ZodError if it is not a key set, or has a statement that cannot be read
 */
export function parseKeySet(json: unknown): KeySet {
  const { keys, statements } = earlierKeySet.parse(json);
  const revoked = statements.flatMap((each) =>
    each.statement === "revoked" ? [{ kid: each.kid, revoked: each.since }] : [],
  );
  return { keys: keys.map((key) => withRevocations(key, revoked)) };
}

/** Returns the key with the earliest date among its own and those that others give for it. */
export function withRevocations(
  key: ReleaseKey,
  others: readonly { readonly kid: string; readonly revoked?: string | undefined }[],
): ReleaseKey {
  const [revoked] = [key, ...others]
    .flatMap((each) => (each.kid === key.kid && each.revoked !== undefined ? [each.revoked] : []))
    .sort((one, other) => Date.parse(one) - Date.parse(other));
  return revoked === undefined ? key : { ...key, revoked };
}
