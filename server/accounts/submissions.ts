/** /account/dataset-submissions: datasets that users propose for the harvest. */

import type { Insertable, Kysely, Selectable } from "kysely";
import {
  type DatasetSubmission,
  type datasetSubmissions,
  submissionKey,
  submissionState,
} from "../../schemas/public/account/submission.ts";
import { rubricVersion } from "../../schemas/public/api/evaluation.ts";
import { type EvaluationTarget, readTarget } from "../evaluations/request.ts";
import { ProblemError, respondDeleted } from "../http/response.ts";
import { type BodyOf, type Handlers, unknownKey } from "../http/routes.ts";
import {
  type AccountServices,
  makeItemHandlers,
  requireFreePlace,
  type StoredItems,
  withLockedAccount,
} from "./items.ts";
import type { Moderated } from "./moderated.ts";
import { newId } from "./sessions.ts";
import type { AccountTables } from "./tables.ts";

type SubmissionRow = Selectable<AccountTables["dataset_submission"]>;
type NewRow = Insertable<AccountTables["dataset_submission"]>;

export const DATASET_SUBMISSIONS: StoredItems<SubmissionRow, DatasetSubmission> = {
  item: "datasetSubmissions",
  table: "dataset_submission",
  order: ["created_at", "id"],
  key: submissionKey,
  show: (rows) =>
    rows.map((row) => ({
      id: row.id,
      identifier: row.identifier,
      source: row.source,
      sourceId: row.source_id,
      rubricVersion: rubricVersion.parse(row.rubric_version),
      state: submissionState.parse(row.state),
      decisionReason: row.decision_reason,
      createdAt: row.created_at,
      decidedAt: row.decided_at,
      harvestedAt: row.harvested_at,
      harvestOutcome: row.harvest_outcome,
    })),
};

export const HARVEST_REQUESTS: Moderated<SubmissionRow> = {
  kind: "submission",
  plural: "submissions",
  letter: "d",
  table: "dataset_submission",
  states: { pending: "queued", approved: "accepted", rejected: "rejected" },
  mail: { about: "The dataset that you submitted", path: "/me/submissions" },
  describe: ({ identifier, source, source_id: sourceId }) => ({
    asks: "submission",
    dataset: { identifier, source, sourceId },
  }),
  decide: async (_trx, { source, source_id: sourceId }) => ({ source, sourceId }),
};

export function submissionHandlers(services: AccountServices): Handlers<keyof typeof datasetSubmissions.routes> {
  const { list, add, get } = makeItemHandlers(DATASET_SUBMISSIONS, services);
  return {
    "dataset-submissions": list,
    "new-dataset-submission": add(addSubmission),
    "dataset-submission": get,
    "withdraw-dataset-submission": ({ signed, key }) =>
      respondDeleted(deleteSubmission(signed.accountId, key, services)),
  };
}

/** The source of a submission whose identifier is only a DOI. */
const REGISTRY = "datacite";

/**
 * Stores a dataset that a user submits for the next harvest.
 * @throws ProblemError `unsupported-source`, `duplicate`, `account-full`
 */
async function addSubmission(
  accountId: string,
  body: BodyOf<"new-dataset-submission">,
  { accounts, now }: AccountServices,
): Promise<SubmissionRow> {
  const target = readTarget(body);
  const row = await withLockedAccount(accounts, accountId, async (trx) => {
    await requireFreePlace(trx, DATASET_SUBMISSIONS, accountId);
    // A concurrent submission of the same dataset waits here, and then fails as a duplicate.
    return trx
      .insertInto("dataset_submission")
      .values(newRow(accountId, target, now().toISOString()))
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
  });
  if (row !== undefined) return row;
  throw new ProblemError("duplicate", "This dataset has already been submitted. You need not submit it again.");
}

function newRow(accountId: string, { text, identifier, rubricVersion }: EvaluationTarget, at: string): NewRow {
  const { source, sourceId } = identifier.kind === "doi" ? { source: REGISTRY, sourceId: identifier.doi } : identifier;
  return {
    id: newId("d"),
    account_id: accountId,
    identifier: text,
    source,
    source_id: sourceId,
    rubric_version: rubricVersion,
    state: "queued",
    decision_reason: null,
    created_at: at,
    decided_at: null,
  };
}

/**
 * Withdraws a queued submission. A submission that was already decided loses its account ID instead: it leaves the
 * account's list, but stays for the harvest.
 * @throws ProblemError `not-found`, also if it belongs to another account
 */
async function deleteSubmission(accountId: string, id: string, { accounts }: AccountServices): Promise<void> {
  const found = await accounts.db.transaction().execute(async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom("dataset_submission")
      .where("id", "=", id)
      .where("account_id", "=", accountId)
      .where("state", "=", "queued")
      .executeTakeFirst();
    if (numDeletedRows > 0n) return true;
    const { numUpdatedRows } = await trx
      .updateTable("dataset_submission")
      .set({ account_id: null })
      .where("id", "=", id)
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  });
  if (!found) throw unknownKey(submissionKey);
}

/**
 * The outcomes of a harvest for a submission: the dataset was `kept`, is `gone` from the source, was `rejected`, or is
 * `known`, because the active release already has it.
 */
const HARVEST_OUTCOMES = ["kept", "gone", "rejected", "known"] as const;

/** The outcome of one attempt. `unanswered` means that the source did not respond, so the next harvest tries again. */
type HarvestOutcome = (typeof HARVEST_OUTCOMES)[number] | "unanswered";

interface WaitingSubmission {
  readonly sourceId: string;
  /** Number of harvests in which the source did not respond for this submission. */
  readonly attempts: number;
}

/** Largest number of submissions that one harvest fetches; the others wait for the next one. */
const MAX_AT_ONCE = 1000;

/**
 * Returns the accepted submissions of a source that are not yet harvested. Those with the fewest attempts come first,
 * so that a submission that always fails does not block others.
 */
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
    .limit(MAX_AT_ONCE)
    .execute();
  return rows.map(({ source_id, harvest_attempts }) => ({ sourceId: source_id, attempts: harvest_attempts }));
}

/** Stores the outcomes of a harvest in one transaction. Unanswered submissions stay in the queue. */
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
