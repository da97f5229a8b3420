/** Accepted submissions on their way into the raw store: which wait, and what became of them. */

import type { Kysely } from "kysely";
import type { AccountTables } from "../accounts/schema/tables.ts";

/** The outcomes of a harvest for a submission; `known`: the active release has the dataset, and nothing was asked. */
export const HARVEST_OUTCOMES = ["kept", "gone", "refused", "known"] as const;

/** `unanswered`: the source itself failed; it is tried again. */
export type HarvestOutcome = (typeof HARVEST_OUTCOMES)[number] | "unanswered";

export interface WaitingSubmission {
  readonly sourceId: string;
  /** Harvests in which its source did not answer for it. */
  readonly attempts: number;
}

/** As many as a harvest fetches before its walk; the others wait for the next. */
const MOST_AT_ONCE = 1000;

/** Those of a source that no harvest is done with, what was tried least first: one that always fails holds up no other. */
export async function waitingSubmissions(db: Kysely<AccountTables>, source: string): Promise<WaitingSubmission[]> {
  const rows = await db
    .selectFrom("dataset_submission")
    .select(["source_id", "harvest_attempts"])
    .where("source", "=", source)
    .where("state", "=", "accepted")
    .where("harvested_at", "is", null)
    .orderBy("harvest_attempts")
    .orderBy("decided_at")
    .orderBy("id")
    .limit(MOST_AT_ONCE)
    .execute();
  return rows.map(({ source_id, harvest_attempts }) => ({ sourceId: source_id, attempts: harvest_attempts }));
}

/** Writes down what became of submissions, all of them or none; one that went unanswered waits on. */
export async function markHarvested(
  db: Kysely<AccountTables>,
  source: string,
  outcomes: ReadonlyMap<string, HarvestOutcome>,
  now: Date,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const [sourceId, outcome] of outcomes) {
      await trx
        .updateTable("dataset_submission")
        .set((row) =>
          outcome === "unanswered"
            ? { harvest_attempts: row("harvest_attempts", "+", 1) }
            : { harvested_at: now.toISOString(), harvest_outcome: outcome },
        )
        .where("source", "=", source)
        .where("source_id", "=", sourceId)
        .where("state", "=", "accepted")
        .where("harvested_at", "is", null)
        .execute();
    }
  });
}
