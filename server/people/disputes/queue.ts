/** Disputes as a moderator sees them: in short, and one of them with all that helps to answer it. */

import type { Selectable } from "kysely";
import type { Dispute } from "../../../schemas/public/account/dispute.ts";
import { type DisputeState, disputeState } from "../../../schemas/public/dispute.ts";
import { keptDispute } from "../account/disputes.ts";
import type { Accounts } from "../accounts/index.ts";
import type { AccountTables } from "../accounts/schema/tables.ts";
import { type AuditEvent, eventsOf } from "../moderation/audit.ts";
import { ModerationError } from "../moderation/moderation-error.ts";
import type { Applicant } from "../moderation/queue.ts";

type Db = Accounts["db"];

export interface WaitingDispute extends Omit<Dispute, "record"> {
  /** Who disputes; null once it was taken back or the account is gone. */
  readonly applicant: Applicant | null;
}

export interface DisputeDetail extends WaitingDispute {
  /** Slugs of the researchers whose approved claims are of who disputes. */
  readonly claimed: readonly string[];
  /** Disputes of the same signal of the same record by others. */
  readonly others: readonly Pick<Dispute, "id" | "state" | "createdAt">[];
  readonly events: readonly AuditEvent[];
}

export interface DisputeQuery {
  /** Null for all. */
  readonly state: DisputeState | null;
  readonly recordId: string | null;
  readonly limit: number;
}

/** The oldest `limit`, and how many there are in all. */
export async function queuedDisputes(
  db: Db,
  { state, recordId, limit }: DisputeQuery,
): Promise<{ readonly disputes: readonly WaitingDispute[]; readonly total: number }> {
  const rows = await withApplicants(db)
    .$if(state !== null, (query) => query.where("d.state", "=", state ?? ""))
    .$if(recordId !== null, (query) => query.where("d.record_id", "=", recordId ?? ""))
    .limit(limit)
    .execute();
  const { total } = await db
    .selectFrom("dispute")
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .$if(state !== null, (query) => query.where("state", "=", state ?? ""))
    .$if(recordId !== null, (query) => query.where("record_id", "=", recordId ?? ""))
    .executeTakeFirstOrThrow();
  return { disputes: rows.map(waiting), total };
}

/** @throws ModerationError where there is none of this id */
export async function showDispute(db: Db, id: string): Promise<DisputeDetail> {
  const row = await withApplicants(db).where("d.id", "=", id).executeTakeFirst();
  if (row === undefined) throw noDispute(id);
  const claims = await db
    .selectFrom("profile_claim")
    .select("slug")
    .where("account_id", "=", row.account_id ?? "")
    .where("state", "=", "approved")
    .orderBy("slug")
    .execute();
  const others = await db
    .selectFrom("dispute")
    .select(["id", "state", "created_at"])
    .where("record_id", "=", row.record_id)
    .where("signal", "=", row.signal)
    .where("id", "!=", id)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return {
    ...waiting(row),
    claimed: claims.map(({ slug }) => slug),
    others: others.map((each) => ({ id: each.id, state: disputeState.parse(each.state), createdAt: each.created_at })),
    events: await eventsOf(db, id),
  };
}

export function noDispute(id: string): ModerationError {
  return new ModerationError(`there is no dispute ${id}; see \`share-release disputes list --state all\``);
}

/** The oldest first. */
function withApplicants(db: Db) {
  return db
    .selectFrom("dispute as d")
    .leftJoin("account as a", "a.id", "d.account_id")
    .selectAll("d")
    .select(["a.name", "a.email", "a.orcid", "a.created_at as account_created_at"])
    .orderBy("d.created_at")
    .orderBy("d.id");
}

type ApplicantColumns = {
  readonly name: string | null;
  readonly email: string | null;
  readonly orcid: string | null;
  readonly account_created_at: string | null;
};

function waiting(row: Selectable<AccountTables["dispute"]> & ApplicantColumns): WaitingDispute {
  const { account_id: id, account_created_at: createdAt, name, email, orcid } = row;
  const applicant = id === null || createdAt === null ? null : { id, name, email, orcid, createdAt };
  return { ...keptDispute(row), applicant };
}
