/** The journal of a store (`journal.ndjson`): what was done with its releases and keys, one line an event, append-only. */

import { z } from "zod";
import { digest } from "../public/release.ts";
import { instant } from "../public/scalars.ts";

/**
 * `built`, `fetched` and `pruned` say how a release came and went. `activated` and `rolled-back` are written before the
 * link moves; `abandoned` follows one that was never carried out, `found` says that the link was moved by other hands.
 * `retracted` is written before the statement that says so.
 */
export const journalEvent = z.enum([
  "built",
  "fetched",
  "activated",
  "rolled-back",
  "abandoned",
  "found",
  "pruned",
  "retracted",
]);
export type JournalEvent = z.infer<typeof journalEvent>;

export const journalEntry = z.strictObject({
  event: journalEvent,
  releaseDigest: digest,
  /** sha256 of release.json at that time; null where it could not be read. */
  receiptDigest: digest.nullable(),
  /** When; null where whoever did it had no clock. */
  at: instant.nullable(),
  /** Why it was retracted, or done in spite of what spoke against it, in the operator's words. */
  reason: z.string().nullable(),
  /** sha256 of the line before, without its line end; null in the first: no line can be changed or taken out unseen. */
  before: digest.nullable(),
});
export type JournalEntry = z.infer<typeof journalEntry>;

/** A line of earlier versions on a key. It is still read, since the next line has its digest. */
export const journalKeyEntry = z.object({
  event: z.enum(["key-rotated", "key-revoked"]),
  kid: z.string(),
  before: digest.nullable(),
});

export const journalLine = z.union([journalEntry, journalKeyEntry]);
export type JournalLine = z.infer<typeof journalLine>;
