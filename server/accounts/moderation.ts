/** Requests that wait for a moderator: list them, show one in detail, and decide. */

import type { Transaction } from "kysely";
import { CLAIM_STATES } from "../../schemas/public/account/claim.ts";
import { type AuditDetail, type AuditEvent, addEvent, eventsOf, SUBJECT_KINDS, type SubjectKind } from "./audit.ts";
import { type Accounts, isUniqueViolation } from "./database.ts";
import type { AccountTables } from "./tables.ts";

type Db = Accounts["db"];

export interface Applicant {
  readonly id: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly orcid: string | null;
  readonly createdAt: string;
}

export interface Subject {
  readonly id: string;
  readonly kind: SubjectKind;
  readonly state: string;
  readonly createdAt: string;
  readonly decidedAt: string | null;
  readonly decisionReason: string | null;
  /** The request: `claim`, `opt_out`, `opt_in` or `submission`. */
  readonly asks: string;
  readonly researcher: { readonly id: string; readonly slug: string } | null;
  readonly dataset: { readonly identifier: string; readonly source: string; readonly sourceId: string } | null;
  readonly reason: string | null;
  readonly applicant: Applicant | null;
}

export interface SubjectDetail extends Subject {
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
  readonly kind: SubjectKind | null;
  readonly state: ModerationState | null;
  readonly limit: number;
}

/** Returns the oldest `limit` subjects, and their number in all. */
export async function listSubjects(
  db: Db,
  { kind, state, limit }: QueueQuery,
): Promise<{ readonly subjects: readonly Subject[]; readonly total: number }> {
  const subjects: Subject[] = [];
  let total = 0;
  for (const each of kind === null ? SUBJECT_KINDS : [kind]) {
    const stateName = state === null ? null : stateOf(each, state);
    subjects.push(...(await READERS[each](db, { state: stateName, id: null, limit })));
    total += await countSubjects(db, each, stateName);
  }
  subjects.sort((a, b) => (a.createdAt + a.id < b.createdAt + b.id ? -1 : 1));
  return { subjects: subjects.slice(0, limit), total };
}

/** @throws ModerationError if no subject has this ID */
export async function showSubject(db: Db, id: string): Promise<SubjectDetail> {
  const kind = kindOf(id);
  const [subject] = kind === null ? [] : await READERS[kind](db, { state: null, id, limit: 1 });
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
  return { ...subject, otherClaims, hiddenSince: hidden?.since ?? null, events: await eventsOf(db, id) };
}

export function unknownSubject(id: string): ModerationError {
  return new ModerationError(`there is nothing to decide under ${id}; see \`share-release account list --state all\``);
}

/** Returns the researchers whom a release must hide, by ID. */
export function hiddenResearchers(db: Db) {
  return db
    .selectFrom("hidden_researcher")
    .select(["researcher_id as id", "slug", "since"])
    .orderBy("researcher_id")
    .execute();
}

interface SubjectFilter {
  readonly state: string | null;
  readonly id: string | null;
  readonly limit: number;
}

const TABLES = { claim: "profile_claim", visibility: "visibility_request", submission: "dataset_submission" } as const;

async function countSubjects(db: Db, kind: SubjectKind, state: string | null): Promise<number> {
  const all = db.selectFrom(TABLES[kind]).select(({ fn }) => fn.countAll<number>().as("rows"));
  const { rows } = await (state === null ? all : all.where("state", "=", state)).executeTakeFirstOrThrow();
  return rows;
}

const SHARED = [
  "s.id",
  "s.state",
  "s.created_at",
  "s.decided_at",
  "s.decision_reason",
  "a.id as account_id",
  "a.name",
  "a.email",
  "a.orcid",
  "a.created_at as account_created_at",
] as const;

type Reader = (db: Db, filter: SubjectFilter) => Promise<Subject[]>;

const READERS: Readonly<Record<SubjectKind, Reader>> = {
  async claim(db, { state, id, limit }) {
    const rows = await db
      .selectFrom("profile_claim as s")
      .leftJoin("account as a", "a.id", "s.account_id")
      .select([...SHARED, "s.researcher_id", "s.slug"])
      .$if(state !== null, (query) => query.where("s.state", "=", state ?? ""))
      .$if(id !== null, (query) => query.where("s.id", "=", id ?? ""))
      .orderBy("s.created_at")
      .orderBy("s.id")
      .limit(limit)
      .execute();
    return rows.map((row) => ({ ...subjectOf("claim", row), asks: "claim", researcher: researcherOf(row) }));
  },
  async visibility(db, { state, id, limit }) {
    const rows = await db
      .selectFrom("visibility_request as s")
      .leftJoin("account as a", "a.id", "s.account_id")
      .select([...SHARED, "s.researcher_id", "s.slug", "s.request_type", "s.reason"])
      .$if(state !== null, (query) => query.where("s.state", "=", state ?? ""))
      .$if(id !== null, (query) => query.where("s.id", "=", id ?? ""))
      .orderBy("s.created_at")
      .orderBy("s.id")
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      ...subjectOf("visibility", row),
      asks: row.request_type,
      researcher: researcherOf(row),
      reason: row.reason,
    }));
  },
  async submission(db, { state, id, limit }) {
    const rows = await db
      .selectFrom("dataset_submission as s")
      .leftJoin("account as a", "a.id", "s.account_id")
      .select([...SHARED, "s.identifier", "s.source", "s.source_id"])
      .$if(state !== null, (query) => query.where("s.state", "=", state ?? ""))
      .$if(id !== null, (query) => query.where("s.id", "=", id ?? ""))
      .orderBy("s.created_at")
      .orderBy("s.id")
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      ...subjectOf("submission", row),
      asks: "submission",
      dataset: { identifier: row.identifier, source: row.source, sourceId: row.source_id },
    }));
  },
};

interface SharedRow {
  readonly id: string;
  readonly state: string;
  readonly created_at: string;
  readonly decided_at: string | null;
  readonly decision_reason: string | null;
  readonly account_id: string | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly orcid: string | null;
  readonly account_created_at: string | null;
}

function subjectOf(kind: SubjectKind, row: SharedRow): Omit<Subject, "asks"> {
  const { account_id: id, account_created_at: createdAt, name, email, orcid } = row;
  return {
    id: row.id,
    kind,
    state: row.state,
    createdAt: row.created_at,
    decidedAt: row.decided_at,
    decisionReason: row.decision_reason,
    researcher: null,
    dataset: null,
    reason: null,
    applicant: id === null || createdAt === null ? null : { id, name, email, orcid, createdAt },
  };
}

function researcherOf({ researcher_id: id, slug }: { readonly researcher_id: string; readonly slug: string }) {
  return { id, slug };
}

/** States in a query. For a submission `pending` means `queued`, and `approved` means `accepted`. */
export const MODERATION_STATES = CLAIM_STATES;
export type ModerationState = (typeof MODERATION_STATES)[number];

const LETTERS: Readonly<Record<string, SubjectKind>> = { c: "claim", v: "visibility", d: "submission" };

/** Returns the kind of an ID; null for any other text. */
export function kindOf(id: string): SubjectKind | null {
  return /^[cvd][0-9a-f]{24}$/.test(id) ? (LETTERS[id.charAt(0)] ?? null) : null;
}

export function stateOf(kind: SubjectKind, state: ModerationState): string {
  if (kind !== "submission") return state;
  return { pending: "queued", approved: "accepted", rejected: "rejected" }[state];
}

export class ModerationError extends Error {
  readonly code = "ERR_MODERATION";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ModerationError";
  }
}

type Trx = Transaction<AccountTables>;

export interface Decision {
  readonly id: string;
  readonly verdict: Exclude<ModerationState, "pending">;
  readonly reason: string | null;
  readonly by: string;
  readonly now: Date;
}

export interface DecisionResult {
  readonly id: string;
  readonly kind: SubjectKind;
  readonly state: string;
  readonly reason: string | null;
  readonly by: string;
  readonly at: string;
}

/**
 * Decides a request once, in one transaction with its log entry, also if several servers run.
 * @throws ModerationError if there is no such request, it was decided before, or it cannot be approved
 */
export async function decide(
  { db, kind: database }: Pick<Accounts, "db" | "kind">,
  decision: Decision,
): Promise<DecisionResult> {
  const { id, verdict, reason, by } = decision;
  const kind = kindOf(id);
  if (kind === null) throw unknownSubject(id);
  const at = decision.now.toISOString();
  const state = stateOf(kind, verdict);
  return db.transaction().execute(async (trx) => {
    const row = trx.selectFrom(TABLES[kind]).select(["state"]).where("id", "=", id);
    // On SQLite the transaction itself is the lock.
    const found = await (database === "postgres" ? row.forUpdate() : row).executeTakeFirst();
    if (found === undefined) throw unknownSubject(id);
    if (found.state !== stateOf(kind, "pending")) throw await alreadyDecided(trx, id, found.state);
    const detail = await CONSEQUENCES[kind](trx, decision, at);
    await trx
      .updateTable(TABLES[kind])
      .set({ state, decision_reason: reason, decided_at: at })
      .where("id", "=", id)
      .execute()
      .catch((error: unknown) => {
        throw isUniqueViolation(error) ? justClaimed(id, error) : error;
      });
    const event = { at, actor: by, action: state, detail: { ...detail, reason } };
    await addEvent(trx, { ...event, subjectKind: kind, subjectId: id });
    return { id, kind, state, reason, by, at };
  });
}

async function alreadyDecided(trx: Trx, id: string, state: string): Promise<ModerationError> {
  const last = (await eventsOf(trx, id)).at(-1);
  const decider = last === undefined ? "" : ` by ${last.actor} at ${last.at}`;
  return new ModerationError(`${id} was ${state}${decider}; a decision cannot be changed`);
}

type Consequence = (trx: Trx, decision: Decision, at: string) => Promise<AuditDetail>;

/** Further effects of a decision. Each returns the details for the log. */
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
    `this researcher is claimed: ${approved.id} was approved at ${approved.decided_at}, and a researcher can have only one approved claim; reject this claim`,
  );
}

/** Checks the claim, which may have been withdrawn since the request. */
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
  throw new ModerationError("the applicant no longer has an approved claim of this researcher; reject the request");
}

/** Hides a researcher. If the researcher is hidden already, the first time counts. */
async function hide(trx: Trx, row: AccountTables["hidden_researcher"]): Promise<void> {
  await trx
    .insertInto("hidden_researcher")
    .values(row)
    .onConflict((conflict) => conflict.column("researcher_id").doNothing())
    .execute();
}

function justClaimed(id: string, cause: unknown): ModerationError {
  return new ModerationError(`the researcher of ${id} was just claimed by another account; look at it again`, {
    cause,
  });
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
      throw new ModerationError(`no researcher ${id} is hidden; see \`share-release account list --hidden --json\``);
    }
    const event = { at, actor: by, action: "unhidden", detail: { reason } };
    await addEvent(trx, { ...event, subjectKind: "researcher", subjectId: id });
    return { id, reason, by, at };
  });
}
