/** Requests that wait for a moderator: list them, show one in detail, and decide. */

import { sql } from "kysely";
import { type AuditEvent, addEvent, readAuditEvents } from "./audit.ts";
import { CLAIM_REQUESTS } from "./claims.ts";
import { type Accounts, isUniqueViolation } from "./database.ts";
import { selectFrom } from "./items.ts";
import {
  type AccountRequest,
  type Decision,
  type Moderated,
  ModerationError,
  type ModerationState,
  type RequestRow,
} from "./moderated.ts";
import { PROBLEM_REPORTS } from "./problem-reports.ts";
import { HARVEST_REQUESTS } from "./submissions.ts";
import { HIDING_REQUESTS } from "./visibility.ts";

type Db = Accounts["db"];
type RequestKind = Moderated<RequestRow>;

/** Every kind of request, in the order of the queue. */
export const MODERATED: readonly RequestKind[] = [CLAIM_REQUESTS, HIDING_REQUESTS, HARVEST_REQUESTS, PROBLEM_REPORTS];

export interface Applicant {
  readonly id: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly orcid: string | null;
  readonly createdAt: string;
}

export interface ModeratedSubject extends AccountRequest {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly createdAt: string;
  readonly decidedAt: string | null;
  readonly decisionReason: string | null;
  readonly applicant: Applicant | null;
}

export interface SubjectDetail extends ModeratedSubject {
  readonly otherClaims: readonly OtherClaim[];
  readonly hiddenSince: string | null;
  readonly events: readonly AuditEvent[];
}

export interface OtherClaim {
  readonly id: string;
  readonly state: string;
  readonly createdAt: string;
  readonly own: boolean;
}

export interface QueueQuery {
  /** The kind of the requests to list; null for all kinds. */
  readonly kind: string | null;
  readonly state: ModerationState | null;
  readonly limit: number;
}

/** Returns the oldest requests, at most `limit`, and the number of all requests of this kind and state. */
export async function listSubjects(
  db: Db,
  { kind: wanted, state, limit }: QueueQuery,
): Promise<{ readonly subjects: readonly ModeratedSubject[]; readonly total: number }> {
  const subjects: ModeratedSubject[] = [];
  let total = 0;
  for (const kind of MODERATED.filter((each) => wanted === null || each.kind === wanted)) {
    const filter = state === null ? null : ({ column: "state", value: kind.states[state] } as const);
    subjects.push(...(await readSubjects(db, kind, filter, limit)));
    const { requests } = await selectFrom(db, kind.table)
      .select(({ fn }) => fn.countAll<number>().as("requests"))
      .$if(filter !== null, (rows) => (filter === null ? rows : rows.where(filter.column, "=", filter.value)))
      .executeTakeFirstOrThrow();
    total += requests;
  }
  subjects.sort((a, b) => (a.createdAt + a.id < b.createdAt + b.id ? -1 : 1));
  return { subjects: subjects.slice(0, limit), total };
}

interface ApplicantRow {
  readonly applicant_id: string | null;
  readonly applicant_name: string | null;
  readonly applicant_email: string | null;
  readonly applicant_orcid: string | null;
  readonly applicant_since: string | null;
}

/** A condition: the value that a column of the request must have. Null for all requests. */
type Filter = { readonly column: "state" | "id"; readonly value: string } | null;

async function readSubjects(db: Db, kind: RequestKind, filter: Filter, limit: number): Promise<ModeratedSubject[]> {
  const rows = await selectFrom(db, kind.table)
    .leftJoin("account as a", (join) => join.onRef("a.id", "=", "item.account_id"))
    .selectAll("item")
    .select(["a.id as applicant_id", "a.name as applicant_name", "a.email as applicant_email"])
    .select(["a.orcid as applicant_orcid", "a.created_at as applicant_since"])
    .$if(filter !== null, (rows) => (filter === null ? rows : rows.where(`item.${filter.column}`, "=", filter.value)))
    .orderBy("item.created_at")
    .orderBy("item.id")
    .limit(limit)
    .$castTo<RequestRow & ApplicantRow>()
    .execute();
  return rows.map((row) => ({
    id: row.id,
    kind: kind.kind,
    state: row.state,
    createdAt: row.created_at,
    decidedAt: row.decided_at,
    decisionReason: row.decision_reason,
    ...{ researcher: null, dataset: null, reason: null },
    ...kind.describe(row),
    applicant: readApplicant(row),
  }));
}

function readApplicant(row: ApplicantRow): Applicant | null {
  const { applicant_id: id, applicant_since: createdAt } = row;
  if (id === null || createdAt === null) return null;
  return { id, name: row.applicant_name, email: row.applicant_email, orcid: row.applicant_orcid, createdAt };
}

/**
 * Returns everything that a moderator needs to decide on one request.
 * @throws ModerationError if no request has this ID
 */
export async function showSubject(db: Db, id: string): Promise<SubjectDetail> {
  const kind = findKind(id);
  const [subject] = kind === null ? [] : await readSubjects(db, kind, { column: "id", value: id }, 1);
  if (subject === undefined) throw unknownSubject(id);
  const researcherId = subject.researcher?.id ?? "";
  const claims = await db
    .selectFrom("profile_claim")
    .select(["id", "state", "created_at as createdAt", "account_id"])
    .where("researcher_id", "=", researcherId)
    .where("id", "!=", id)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  const hidden = await db
    .selectFrom("hidden_researcher")
    .select("since")
    .where("researcher_id", "=", researcherId)
    .executeTakeFirst();
  const otherClaims = claims.map(({ account_id, ...claim }) => ({
    ...claim,
    own: account_id === subject.applicant?.id,
  }));
  return { ...subject, otherClaims, hiddenSince: hidden?.since ?? null, events: await readAuditEvents(db, id) };
}

export function unknownSubject(id: string): ModerationError {
  return new ModerationError(
    `no request has the id ${id}; list the requests with \`share-release account list --state all\``,
  );
}

/** Returns the researchers whom a release must hide, in the order of their IDs. */
export function hiddenResearchers(db: Db) {
  return db
    .selectFrom("hidden_researcher")
    .select(["researcher_id as id", "slug", "since"])
    .orderBy("researcher_id")
    .execute();
}

/** Returns the kind of a request by its ID, which begins with `c` for a claim; null if the text is not such an ID. */
export function findKind(id: string): RequestKind | null {
  if (!/^[a-z][0-9a-f]{24}$/.test(id)) return null;
  return MODERATED.find(({ letter }) => id.startsWith(letter)) ?? null;
}

export interface DecisionResult {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly reason: string | null;
  readonly by: string;
  readonly at: string;
}

/**
 * Decides a request, and adds the decision to the log in the same transaction. Only the first decision counts, also if
 * several programs decide at the same time.
 * @throws ModerationError if there is no such request, it was decided before, or it cannot be approved
 */
export async function decide(
  { db, kind: database }: Pick<Accounts, "db" | "kind">,
  decision: Decision,
): Promise<DecisionResult> {
  const { id, verdict, reason, by } = decision;
  const kind = findKind(id);
  if (kind === null) throw unknownSubject(id);
  const at = decision.now.toISOString();
  const state = kind.states[verdict];
  const table = sql.table(kind.table);
  return db.transaction().execute(async (trx) => {
    // On SQLite the transaction itself is the lock.
    const locked = database === "postgres" ? sql`for update` : sql``;
    const { rows } = await sql<RequestRow>`select * from ${table} where id = ${id} ${locked}`.execute(trx);
    const [row] = rows;
    if (row === undefined) throw unknownSubject(id);
    if (row.state !== kind.states.pending) throw await alreadyDecided(trx, id, row.state);
    const detail = await kind.decide(trx, row, decision);
    await sql`update ${table} set state = ${state}, decision_reason = ${reason}, decided_at = ${at} where id = ${id}`
      .execute(trx)
      .catch((error: unknown) => {
        throw isUniqueViolation(error) ? justClaimed(id, error) : error;
      });
    const event = { at, actor: by, action: state, detail: { ...detail, reason } };
    await addEvent(trx, { ...event, subjectKind: kind.kind, subjectId: id });
    return { id, kind: kind.kind, state, reason, by, at };
  });
}

async function alreadyDecided(trx: Db, id: string, state: string): Promise<ModerationError> {
  const last = (await readAuditEvents(trx, id)).at(-1);
  const decider = last === undefined ? "" : ` by ${last.actor} at ${last.at}`;
  return new ModerationError(`the request ${id} was already ${state}${decider}; a decision cannot be changed`);
}

function justClaimed(id: string, cause: unknown): ModerationError {
  return new ModerationError(
    `the researcher of ${id} was just claimed by another account; show the request again with \`share-release account decide ${id}\``,
    { cause },
  );
}

interface UnhideRequest {
  readonly researcherId: string;
  readonly reason: string;
  readonly by: string;
  readonly now: Date;
}

interface UnhideResult {
  readonly id: string;
  readonly reason: string;
  readonly by: string;
  readonly at: string;
}

/**
 * Shows a hidden researcher again.
 * @throws ModerationError if the researcher is not hidden
 */
export function unhide(
  { db }: Pick<Accounts, "db">,
  { researcherId: id, reason, by, now }: UnhideRequest,
): Promise<UnhideResult> {
  const at = now.toISOString();
  return db.transaction().execute(async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom("hidden_researcher")
      .where("researcher_id", "=", id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) {
      throw new ModerationError(
        `the researcher ${id} is not hidden; list those who are with \`share-release account list --hidden --json\``,
      );
    }
    const event = { at, actor: by, action: "unhidden", detail: { reason } };
    await addEvent(trx, { ...event, subjectKind: "researcher", subjectId: id });
    return { id, reason, by, at };
  });
}
