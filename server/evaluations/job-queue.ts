/** The queue of evaluation jobs as its callers see it: adding one, reading one, forgetting those that are old. */

import { randomBytes } from "node:crypto";
import { type Selectable, sql, type Transaction } from "kysely";
import { z } from "zod";
import { evaluationJob } from "../../schemas/public/api/evaluation.ts";
import type { Accounts } from "../people/accounts/index.ts";
import type { AccountTables } from "../people/accounts/schema/tables.ts";

/** A job to be done, and whom it is for. */
export interface JobRequest {
  /** A pseudonym of whoever asks. */
  readonly caller: string;
  /** The source that has to be asked, as far as the identifier tells. */
  readonly source: string;
  /** Canonical identifier and contract. */
  readonly subject: string;
  readonly identifier: string;
  readonly rubricVersion: string;
}

/** A job as the API shows it; what it came to is shown as it was written, also by programs that write more by now. */
const keptJob = evaluationJob.extend({ result: z.unknown(), error: z.unknown() });
export type KeptJob = z.infer<typeof keptJob>;

type JobRow = Selectable<AccountTables["evaluation_job"]>;

/** For so long the same request gets the same job, ended or not (decisions.md, "Evaluation"). */
const SAME_MILLISECONDS = 60_000;

/** Ended jobs are kept so long. */
const KEPT_MILLISECONDS = 30 * 86_400_000;

/** Jobs forgotten at a time: a month's work is worked off, not waited for. */
const MOST_FORGOTTEN = 100;

/** How many jobs may be unfinished at a time: in all, of one caller, of one source. */
export interface JobBounds {
  readonly all: number;
  readonly caller: number;
  readonly source: number;
}

/** There is no room for another job, of anybody, of this caller or of this source. */
export class QueueFull extends Error {
  readonly code = "queue-full";
  readonly of: keyof JobBounds;
  constructor(of: keyof JobBounds) {
    super(`no further job is taken (${of})`);
    this.of = of;
  }
}

/** Which lock of a PostgreSQL is ours; any number that nothing else there takes. */
const LOCK = 7_420_226;

export class JobQueue {
  readonly #accounts: Accounts;
  readonly #bounds: JobBounds;

  constructor(accounts: Accounts, bounds: JobBounds) {
    this.#accounts = accounts;
    this.#bounds = bounds;
  }

  /**
   * The job of a request: a new one, or the one that the same request has already.
   * @throws QueueFull
   */
  async add(request: JobRequest, now: Date): Promise<KeptJob> {
    const row = await this.#accounts.db.transaction().execute(async (trx) => {
      // Requests are looked at one after the other: two of the same, or the last two places, would pass both otherwise.
      if (this.#accounts.kind === "postgres") await sql`select pg_advisory_xact_lock(${LOCK})`.execute(trx);
      const same = await sameJob(trx, request.subject, now);
      if (same !== undefined) return same;
      const turn = await this.#turnOf(trx, request);
      return trx
        .insertInto("evaluation_job")
        .values(newRow(request, turn, now))
        .returningAll()
        .executeTakeFirstOrThrow();
    });
    return jobOf(row);
  }

  /** Whose turn it is goes round: the first job of a caller comes beside the first of the others, however many they have. */
  async #turnOf(trx: Transaction<AccountTables>, request: JobRequest): Promise<number> {
    const waiting = await unfinished(trx, request);
    for (const bound of ["all", "caller", "source"] as const) {
      if (waiting[bound] >= this.#bounds[bound]) throw new QueueFull(bound);
    }
    return Math.max(waiting.first ?? 0, waiting.last ?? 0) + 1;
  }

  /** The job of this id, as it stands; null where there is none, or none any more. */
  async find(id: string): Promise<KeptJob | null> {
    const row = await this.#accounts.db
      .selectFrom("evaluation_job")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    return row === undefined ? null : jobOf(row);
  }

  /** Removes some of what ended longer ago than jobs are kept. */
  async forget(now: Date): Promise<void> {
    const before = new Date(now.getTime() - KEPT_MILLISECONDS).toISOString();
    await this.#accounts.db
      .deleteFrom("evaluation_job")
      .where("id", "in", (query) => {
        const old = query
          .selectFrom("evaluation_job")
          .select("id")
          .where("finished_at", "<=", before)
          .limit(MOST_FORGOTTEN);
        // Of several servers that do this, none waits for another.
        return this.#accounts.kind === "postgres" ? old.forUpdate().skipLocked() : old;
      })
      .execute();
  }
}

/** A job that has not ended answers the same request however old it is: a second one would only wait behind it. */
function sameJob(trx: Transaction<AccountTables>, subject: string, now: Date): Promise<JobRow | undefined> {
  const since = new Date(now.getTime() - SAME_MILLISECONDS).toISOString();
  return trx
    .selectFrom("evaluation_job")
    .selectAll()
    .where("subject", "=", subject)
    .where((is) => is.or([is("created_at", ">", since), is("status", "in", ["queued", "running"])]))
    .orderBy("created_at", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** Jobs that have not ended: how many, the lowest turn of all, and the last turn of the caller. */
async function unfinished(trx: Transaction<AccountTables>, { caller, source }: JobRequest) {
  const { rows } = await sql<{ all: Count; caller: Count; source: Count; first: Count | null; last: Count | null }>`
    select count(*) as "all",
      count(case when caller = ${caller} then 1 end) as "caller",
      count(case when source = ${source} then 1 end) as "source",
      min(turn) as "first",
      max(case when caller = ${caller} then turn end) as "last"
    from evaluation_job
    where status in ('queued', 'running')`.execute(trx);
  const [row] = rows;
  if (row === undefined) throw new Error("counting jobs gave no row");
  const { first, last } = row;
  return {
    all: Number(row.all),
    caller: Number(row.caller),
    source: Number(row.source),
    first: first === null ? null : Number(first),
    last: last === null ? null : Number(last),
  };
}

/** A driver may give what counts may come to as text. */
type Count = number | string | bigint;

function newRow({ caller, source, subject, identifier, rubricVersion }: JobRequest, turn: number, now: Date): JobRow {
  const instant = now.toISOString();
  return {
    id: `j${randomBytes(16).toString("hex")}`,
    subject,
    caller,
    source,
    turn,
    identifier,
    rubric_version: rubricVersion,
    status: "queued",
    attempts: 0,
    faults: 0,
    created_at: instant,
    started_at: null,
    finished_at: null,
    due_at: instant,
    result: null,
    error: null,
  };
}

function jobOf(row: JobRow): KeptJob {
  return keptJob.parse({
    id: row.id,
    status: row.status,
    identifier: row.identifier,
    rubricVersion: row.rubric_version,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    attempts: row.attempts,
    result: row.result === null ? null : JSON.parse(row.result),
    error: row.error === null ? null : JSON.parse(row.error),
  });
}
