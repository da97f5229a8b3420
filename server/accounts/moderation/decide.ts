/** A moderator's decision: once, in one transaction with its entry in the log, whatever servers run meanwhile. */

import type { Transaction } from "kysely";
import type { Accounts } from "../database/index.ts";
import type { AccountTables } from "../database/tables.ts";
import { type AuditDetail, addEvent, eventsOf, type SubjectKind } from "./audit.ts";
import { kindOf, ModerationError, type ModerationState, nothingOf, stateOf } from "./queue.ts";

type Trx = Transaction<AccountTables>;

export interface Decision {
  readonly id: string;
  readonly verdict: Exclude<ModerationState, "pending">;
  readonly reason: string | null;
  /** Who decides. */
  readonly by: string;
  readonly now: Date;
}

export interface Decided {
  readonly id: string;
  readonly kind: SubjectKind;
  readonly state: string;
  readonly reason: string | null;
  readonly by: string;
  readonly at: string;
}

const TABLES = { claim: "profile_claim", visibility: "visibility_request", submission: "dataset_submission" } as const;

/** What PostgreSQL says of a second row where there may be one; on SQLite nobody else writes meanwhile. */
const UNIQUE_VIOLATION = "23505";

/** @throws ModerationError where there is nothing of this id, it was decided before, or it may not be approved */
export async function decide(
  { db, kind: database }: Pick<Accounts, "db" | "kind">,
  decision: Decision,
): Promise<Decided> {
  const { id, verdict, reason, by } = decision;
  const kind = kindOf(id);
  if (kind === null) throw nothingOf(id);
  const at = decision.now.toISOString();
  const state = stateOf(kind, verdict);
  return db.transaction().execute(async (trx) => {
    const row = trx.selectFrom(TABLES[kind]).select(["state"]).where("id", "=", id);
    // On SQLite the transaction itself is the lock.
    const found = await (database === "postgres" ? row.forUpdate() : row).executeTakeFirst();
    if (found === undefined) throw nothingOf(id);
    if (found.state !== stateOf(kind, "pending")) throw await decidedBefore(trx, id, found.state);
    const detail = await CONSEQUENCES[kind](trx, decision, at);
    await trx
      .updateTable(TABLES[kind])
      .set({ state, decision_reason: reason, decided_at: at })
      .where("id", "=", id)
      .execute()
      .catch((error: unknown) => {
        throw isUniqueViolation(error) ? claimedMeanwhile(id, error) : error;
      });
    const event = { at, actor: by, action: state, detail: { ...detail, reason } };
    await addEvent(trx, { ...event, subjectKind: kind, subjectId: id });
    return { id, kind, state, reason, by, at };
  });
}

async function decidedBefore(trx: Trx, id: string, state: string): Promise<ModerationError> {
  const last = (await eventsOf(trx, id)).at(-1);
  const who = last === undefined ? "" : ` by ${last.actor} at ${last.at}`;
  return new ModerationError(`${id} was ${state}${who}; a decision stands`);
}

type Consequence = (trx: Trx, decision: Decision, at: string) => Promise<AuditDetail>;

/** What a decision does besides, and what the log says of it. */
const CONSEQUENCES: Readonly<Record<SubjectKind, Consequence>> = {
  async claim(trx, { id, verdict }) {
    const { researcher_id: researcherId } = await trx
      .selectFrom("profile_claim")
      .select("researcher_id")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    if (verdict === "approved") await requireUnclaimed(trx, researcherId);
    return { researcherId };
  },
  async visibility(trx, { id, verdict }, at) {
    const row = await trx
      .selectFrom("visibility_request")
      .select(["account_id", "researcher_id", "slug", "request_type"])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    const { researcher_id: researcherId, slug, request_type: requestType } = row;
    if (verdict === "approved") {
      await requireClaim(trx, row);
      await (requestType === "opt_out"
        ? hide(trx, { researcher_id: researcherId, slug, since: at })
        : trx.deleteFrom("hidden_researcher").where("researcher_id", "=", researcherId).execute());
    }
    return { researcherId, requestType };
  },
  async submission(trx, { id }) {
    const { source, source_id: sourceId } = await trx
      .selectFrom("dataset_submission")
      .select(["source", "source_id"])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    return { source, sourceId };
  },
};

async function requireUnclaimed(trx: Trx, researcherId: string): Promise<void> {
  const approved = await trx
    .selectFrom("profile_claim")
    .select(["id", "decided_at"])
    .where("researcher_id", "=", researcherId)
    .where("state", "=", "approved")
    .executeTakeFirst();
  if (approved === undefined) return;
  throw new ModerationError(
    `this researcher is claimed: ${approved.id} was approved at ${approved.decided_at}, and one person at a time can be a researcher; reject this claim`,
  );
}

/** Between asking and deciding, a claim can be withdrawn. */
async function requireClaim(
  trx: Trx,
  { account_id, researcher_id }: { readonly account_id: string; readonly researcher_id: string },
): Promise<void> {
  const claim = await trx
    .selectFrom("profile_claim")
    .select("id")
    .where("account_id", "=", account_id)
    .where("researcher_id", "=", researcher_id)
    .where("state", "=", "approved")
    .executeTakeFirst();
  if (claim !== undefined) return;
  throw new ModerationError("who asked has no approved claim of this researcher any more; reject the request");
}

/** Since when somebody is hidden is when they were hidden first. */
async function hide(trx: Trx, row: AccountTables["hidden_researcher"]): Promise<void> {
  await trx
    .insertInto("hidden_researcher")
    .values(row)
    .onConflict((conflict) => conflict.column("researcher_id").doNothing())
    .execute();
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === UNIQUE_VIOLATION;
}

function claimedMeanwhile(id: string, cause: unknown): ModerationError {
  return new ModerationError(`the researcher of ${id} was claimed by somebody else just now; look at it again`, {
    cause,
  });
}

interface Unhiding {
  readonly researcherId: string;
  readonly reason: string;
  readonly by: string;
  readonly now: Date;
}

interface Unhidden {
  readonly id: string;
  readonly reason: string;
  readonly by: string;
  readonly at: string;
}

/** @throws ModerationError where the researcher is not hidden */
export function unhide(
  { db }: Pick<Accounts, "db">,
  { researcherId: id, reason, by, now }: Unhiding,
): Promise<Unhidden> {
  const at = now.toISOString();
  return db.transaction().execute(async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom("hidden_researcher")
      .where("researcher_id", "=", id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) {
      throw new ModerationError(`no researcher ${id} is hidden; see \`share-release account list --hidden --json\``);
    }
    const event = { at, actor: by, action: "unhidden", detail: { reason } };
    await addEvent(trx, { ...event, subjectKind: "researcher", subjectId: id });
    return { id, reason, by, at };
  });
}
