/** The things that wait for a moderator, or were decided: in short, and one of them with all that helps to decide. */

import { CLAIM_STATES } from "../../../schemas/public/account/claim.ts";
import type { Accounts } from "../database/index.ts";
import { type AuditEvent, eventsOf, SUBJECT_KINDS, type SubjectKind } from "./audit.ts";

type Db = Accounts["db"];

/** The person who asks; null once the account is gone. */
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
  /** What is asked for: `claim`, `opt_out`, `opt_in` or `submission`. */
  readonly asks: string;
  /** Whose page; null for a dataset. */
  readonly researcher: { readonly id: string; readonly slug: string } | null;
  /** Which dataset; null for a researcher. */
  readonly dataset: { readonly identifier: string; readonly source: string; readonly sourceId: string } | null;
  /** Of who asks, in their words. */
  readonly reason: string | null;
  readonly applicant: Applicant | null;
}

export interface SubjectDetail extends Subject {
  /** Other claims of the same researcher. */
  readonly otherClaims: readonly OtherClaim[];
  /** Since when the researcher is hidden; null where they are not. */
  readonly hiddenSince: string | null;
  readonly events: readonly AuditEvent[];
}

export interface OtherClaim {
  readonly id: string;
  readonly state: string;
  readonly createdAt: string;
  /** Whether it is of the same person. */
  readonly own: boolean;
}

export interface QueueQuery {
  /** Null for all. */
  readonly kind: SubjectKind | null;
  readonly state: ModerationState | null;
  readonly limit: number;
}

/** The oldest `limit`, and how many there are in all. */
export async function listSubjects(
  db: Db,
  { kind, state, limit }: QueueQuery,
): Promise<{ readonly subjects: readonly Subject[]; readonly total: number }> {
  const subjects: Subject[] = [];
  let total = 0;
  for (const each of kind === null ? SUBJECT_KINDS : [kind]) {
    const wanted = state === null ? null : stateOf(each, state);
    subjects.push(...(await READERS[each](db, { state: wanted, id: null, limit })));
    total += await countSubjects(db, each, wanted);
  }
  subjects.sort((a, b) => (a.createdAt + a.id < b.createdAt + b.id ? -1 : 1));
  return { subjects: subjects.slice(0, limit), total };
}

/** @throws ModerationError where there is none of this id */
export async function showSubject(db: Db, id: string): Promise<SubjectDetail> {
  const kind = kindOf(id);
  const [subject] = kind === null ? [] : await READERS[kind](db, { state: null, id, limit: 1 });
  if (subject === undefined) throw nothingOf(id);
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

export function nothingOf(id: string): ModerationError {
  return new ModerationError(`there is nothing to decide under ${id}; see \`share-release account list --state all\``);
}

/** Whom a release must be built without, by id. */
export function hiddenResearchers(db: Db) {
  return db
    .selectFrom("hidden_researcher")
    .select(["researcher_id as id", "slug", "since"])
    .orderBy("researcher_id")
    .execute();
}

interface Wanted {
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

type Reader = (db: Db, wanted: Wanted) => Promise<Subject[]>;

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

/** The states that can be asked for: `pending` and `approved` mean `queued` and `accepted` of a submission. */
export const MODERATION_STATES = CLAIM_STATES;
export type ModerationState = (typeof MODERATION_STATES)[number];

const LETTERS: Readonly<Record<string, SubjectKind>> = { c: "claim", v: "visibility", d: "submission" };

/** Null for what is no id of any of them. */
export function kindOf(id: string): SubjectKind | null {
  return /^[cvd][0-9a-f]{24}$/.test(id) ? (LETTERS[id.charAt(0)] ?? null) : null;
}

/** How a kind calls a state. */
export function stateOf(kind: SubjectKind, state: ModerationState): string {
  if (kind !== "submission") return state;
  return { pending: "queued", approved: "accepted", rejected: "rejected" }[state];
}

/** A wish of a moderator that cannot be met; the message says why and what to do. */
export class ModerationError extends Error {
  readonly code = "ERR_MODERATION";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ModerationError";
  }
}
