/** The journal of a store (`journal.ndjson`): one line for each event of a release. Lines are only added. */

import { z } from "zod";
import { digest } from "../public/release.ts";
import { instant } from "../public/scalars.ts";

/**
 * The events of releases. `built` and `fetched` mean that a release was added, and `pruned` that it was removed.
 * `activated` and `rolled-back` are written before the link to the active release moves. `abandoned` follows if the link
 * did not move, and `found` if another program moved it. `retracted` is written before the retraction.
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
  /** The sha256 of release.json at that time; null if the file could not be read. */
  receiptDigest: digest.nullable(),
  /** Time of the event; null if the program that wrote the line did not know it. */
  at: instant.nullable(),
  /** The reason that the operator gave for a retraction or a forced action; null if there is none. */
  reason: z.string().nullable(),
  /**
   * The sha256 of the previous line without its line end; null in the first line. This digest shows whether a line was
   * changed or removed.
   */
  before: digest.nullable(),
});
export type JournalEntry = z.infer<typeof journalEntry>;

/**
 * A line about a key, which earlier versions wrote. It must still be readable, because the next line contains its digest.
 */
export const journalKeyEntry = z.object({
  event: z.enum(["key-rotated", "key-revoked"]),
  kid: z.string(),
  before: digest.nullable(),
});

export const journalLine = z.union([journalEntry, journalKeyEntry]);
export type JournalLine = z.infer<typeof journalLine>;
