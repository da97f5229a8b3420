/** The queue of evaluation jobs in the account store: add and find jobs, lease them, and remove old ones. */

import { randomBytes } from "node:crypto";
import { type ExpressionBuilder, type Selectable, sql, type Transaction, type UpdateObject } from "kysely";
import { z } from "zod";
import {
  type EvaluationResult,
  evaluationJob,
  type JobFailure,
  type JobStatus,
} from "../../schemas/public/api/evaluation.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import type { Accounts } from "../accounts/database.ts";
import type { AccountTables } from "../accounts/tables.ts";
import { ProblemError } from "../http/response.ts";
import { isFresh } from "./request.ts";

/**
 * A row of the queue. Each attempt has a lease with the number `attempts`, and only the latest lease may write the
 * result. `faults` is the number of failed attempts.
 */
export type JobRow = Selectable<AccountTables["evaluation_job"]>;

export type JobRequest = Pick<JobRow, "caller" | "source" | "subject" | "identifier" | "rubric_version">;

/**
 * A job as in the API. Its result is returned as stored, because another version of the program may have written it.
 */
const storedJob = evaluationJob.extend({ result: z.unknown(), error: z.unknown() });
export type StoredJob = z.infer<typeof storedJob>;

/** Largest number of failures that a job stores; older ones are dropped. */
const MAX_FAILURES = 5;

const FAILURES = evaluationJob.shape.failures;

const QUEUED = "queued" satisfies JobStatus;
const RUNNING = "running" satisfies JobStatus;

type JobChange = UpdateObject<AccountTables, "evaluation_job">;
type JobQuery = ExpressionBuilder<AccountTables, "evaluation_job">;
type JobEnd = { readonly result: EvaluationResult } | { readonly error: Problem };

/** Milliseconds in which the same request gets the same job, finished or not (decisions.md, "Evaluation"). */
const SAME_MILLISECONDS = 60_000;

const KEPT_MILLISECONDS = 30 * 86_400_000;

/** Largest number of old jobs that are removed at a time, so that removing them does not cause a delay. */
const MAX_FORGOTTEN = 100;

/** Limits of unfinished jobs: in all, of one caller, and of one source. */
export interface JobBounds {
  readonly all: number;
  readonly caller: number;
  readonly source: number;
}

/** The text of the problem for each limit that is reached. */
export const FULL: Readonly<Record<keyof JobBounds, string>> = {
  all: "Too many evaluations are waiting. Try again later.",
  caller: "Too many of your evaluations are waiting. Try again when one has ended.",
  source: "Too many evaluations of this source are waiting. Try again later, or evaluate datasets of other sources.",
};

/** Seconds after which a full queue may have room. */
const FULL_SECONDS = 30;

/** Key of the PostgreSQL advisory lock for this queue. The number is arbitrary. */
const LOCK = 7_420_226;

export class JobQueue {
  readonly #accounts: Accounts;
  readonly #bounds: JobBounds;

  constructor(accounts: Accounts, bounds: JobBounds) {
    this.#accounts = accounts;
    this.#bounds = bounds;
  }

  /**
   * Adds a job. If there is already a job of the same request, returns that one.
   * @throws ProblemError `too-many-evaluations` if a limit is reached
   */
  async add(request: JobRequest, now: Date): Promise<StoredJob> {
    const row = await this.#accounts.db.transaction().execute(async (trx) => {
      // One request at a time. Otherwise two equal requests, or two requests for the last place, would both be accepted.
      if (this.#accounts.kind === "postgres") await sql`select pg_advisory_xact_lock(${LOCK})`.execute(trx);
      const same = await sameJob(trx, request.subject, now);
      if (same !== undefined) return same;
      const turn = await this.#chooseTurn(trx, request);
      return trx
        .insertInto("evaluation_job")
        .values(newRow(request, turn, now))
        .returningAll()
        .executeTakeFirstOrThrow();
    });
    return readJob(row);
  }

  /**
   * Returns the turn of a new job, by which jobs are ordered. The first job of each caller comes before the second job
   * of any caller.
   */
  async #chooseTurn(trx: Transaction<AccountTables>, request: JobRequest): Promise<number> {
    const waiting = await countUnfinished(trx, request);
    for (const bound of ["all", "caller", "source"] as const) {
      if (waiting[bound] < this.#bounds[bound]) continue;
      throw new ProblemError("too-many-evaluations", FULL[bound], { headers: { "retry-after": `${FULL_SECONDS}` } });
    }
    return Math.max(waiting.first ?? 0, waiting.last ?? 0) + 1;
  }

  /** Finds the job of the same request that `add` would return; null if there is none. */
  async findSame(subject: string, now: Date): Promise<StoredJob | null> {
    const row = await sameJob(this.#accounts.db, subject, now);
    return row === undefined ? null : readJob(row);
  }

  /** Finds a job; null if it never existed or has been removed. */
  async find(id: string): Promise<StoredJob | null> {
    const row = await this.#accounts.db
      .selectFrom("evaluation_job")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    return row === undefined ? null : readJob(row);
  }

  async forget(now: Date): Promise<void> {
    const before = new Date(now.getTime() - KEPT_MILLISECONDS).toISOString();
    await this.#accounts.db
      .deleteFrom("evaluation_job")
      .where("id", "in", (is) => {
        const old = is.selectFrom("evaluation_job").select("id").where("finished_at", "<=", before);
        return this.#unlocked(old.limit(MAX_FORGOTTEN));
      })
      .execute();
  }

  /**
   * Leases the next job until `leasedUntil`; null if none is due. The source with the fewest running jobs comes first,
   * so that a slow source does not block others.
   * @param passed sources to skip
   */
  async take(now: Date, leasedUntil: Date, passed: readonly string[] = []): Promise<JobRow | null> {
    const row = await this.#accounts.db
      .updateTable("evaluation_job")
      .set((is) => ({
        status: RUNNING,
        attempts: is("attempts", "+", 1),
        started_at: is.fn.coalesce("started_at", is.val(now.toISOString())),
        due_at: leasedUntil.toISOString(),
      }))
      .where("id", "=", (is) => this.#nextTurn(is, now, passed))
      .returningAll()
      .executeTakeFirst();
    return row ?? null;
  }

  /** Puts jobs whose lease has expired back into the queue, and returns their IDs. */
  async reclaim(now: Date): Promise<string[]> {
    const instant = now.toISOString();
    const rows = await this.#accounts.db
      .updateTable("evaluation_job")
      .set((is) => ({ status: QUEUED, due_at: instant, faults: is("faults", "+", 1) }))
      .where("id", "in", (is) => {
        const running = is.selectFrom("evaluation_job").select("id").where("status", "=", RUNNING);
        return this.#unlocked(running.where("due_at", "<=", instant));
      })
      .returning("id")
      .execute();
    return rows.map(({ id }) => id);
  }

  /** Extends the lease of a job; false if the lease was lost. */
  renew(job: JobRow, leasedUntil: Date): Promise<boolean> {
    return this.#change(job, { due_at: leasedUntil.toISOString() });
  }

  /** Stores the end of a job; false if the lease was lost. */
  end(job: JobRow, ending: JobEnd, now: Date): Promise<boolean> {
    const status: JobStatus = "result" in ending ? "succeeded" : "failed";
    return this.#change(job, {
      status,
      finished_at: now.toISOString(),
      due_at: null,
      result: "result" in ending ? JSON.stringify(ending.result) : null,
      error: "error" in ending ? JSON.stringify(ending.error) : null,
    });
  }

  /**
   * Puts a job back into the queue, from which it can be taken again after `dueAt`. `fault` is true if the attempt
   * counts as failed. `failure` is its cause; null if the attempt was interrupted.
   */
  putBack(job: JobRow, dueAt: Date, fault: boolean, failure: JobFailure | null): Promise<boolean> {
    const failures = [...FAILURES.parse(JSON.parse(job.failures)), ...(failure === null ? [] : [failure])];
    return this.#change(job, {
      status: QUEUED,
      due_at: dueAt.toISOString(),
      faults: job.faults + (fault ? 1 : 0),
      failures: JSON.stringify(failures.slice(-MAX_FAILURES)),
    });
  }

  async #change({ id, attempts }: JobRow, change: JobChange): Promise<boolean> {
    const { numUpdatedRows } = await this.#accounts.db
      .updateTable("evaluation_job")
      .set(change)
      .where("id", "=", id)
      .where("status", "=", RUNNING)
      .where("attempts", "=", attempts)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  #nextTurn(is: JobQuery, now: Date, passed: readonly string[]) {
    const due = is
      .selectFrom("evaluation_job as due")
      .select("due.id")
      .where("due.status", "=", QUEUED)
      .where("due.due_at", "<=", now.toISOString());
    const allowed = passed.length === 0 ? due : due.where("due.source", "not in", passed);
    const next = allowed
      .orderBy((by) =>
        by
          .selectFrom("evaluation_job as other")
          .select(({ fn }) => fn.countAll().as("running"))
          .where("other.status", "=", RUNNING)
          .whereRef("other.source", "=", "due.source"),
      )
      .orderBy("due.turn")
      .orderBy("due.due_at")
      .orderBy("due.id")
      .limit(1);
    return this.#unlocked(next);
  }

  /**
   * Makes PostgreSQL lock the selected jobs and skip those that another server is changing. SQLite needs no lock,
   * because it has only one writer at a time.
   */
  #unlocked<Query extends { forUpdate(): Query; skipLocked(): Query }>(query: Query): Query {
    return this.#accounts.kind === "postgres" ? query.forUpdate().skipLocked() : query;
  }
}

/**
 * Finds a recent or unfinished job of the same subject, because a second job would only wait for the first. If the
 * request asks for fresh metadata, a finished job does not count, because the record may have been edited since.
 */
function sameJob(db: Accounts["db"], subject: string, now: Date): Promise<JobRow | undefined> {
  const since = new Date(now.getTime() - (isFresh(subject) ? 0 : SAME_MILLISECONDS)).toISOString();
  return db
    .selectFrom("evaluation_job")
    .selectAll()
    .where("subject", "=", subject)
    .where((is) => is.or([is("created_at", ">", since), is("status", "in", ["queued", "running"])]))
    .orderBy("created_at", "desc")
    .limit(1)
    .executeTakeFirst();
}

/**
 * Counts unfinished jobs in all, of the caller, and of the source. Also returns the lowest turn of all jobs and the
 * highest turn of the caller's jobs.
 */
async function countUnfinished(trx: Transaction<AccountTables>, { caller, source }: JobRequest) {
  type Counts = Record<keyof JobBounds, number> & Record<"first" | "last", number | null>;
  // Without a cast, PostgreSQL's driver returns counts as text.
  const { rows } = await sql<Counts>`
    select cast(count(*) as integer) as "all",
      cast(count(case when caller = ${caller} then 1 end) as integer) as "caller",
      cast(count(case when source = ${source} then 1 end) as integer) as "source",
      cast(min(turn) as integer) as "first",
      cast(max(case when caller = ${caller} then turn end) as integer) as "last"
    from evaluation_job
    where status in (${QUEUED}, ${RUNNING})`.execute(trx);
  const [counts] = rows;
  if (counts === undefined)
    throw new Error("the account store returned no row for the numbers of waiting evaluations; report this");
  return counts;
}

function newRow(request: JobRequest, turn: number, now: Date): JobRow {
  const instant = now.toISOString();
  return {
    ...request,
    id: `j${randomBytes(16).toString("hex")}`,
    turn,
    ...{ status: QUEUED, attempts: 0, faults: 0, failures: "[]" },
    ...{ created_at: instant, started_at: null, finished_at: null, due_at: instant, result: null, error: null },
  };
}

function readJob(row: JobRow): StoredJob {
  return storedJob.parse({
    id: row.id,
    status: row.status,
    identifier: row.identifier,
    fresh: isFresh(row.subject),
    rubricVersion: row.rubric_version,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    attempts: row.attempts,
    failures: JSON.parse(row.failures),
    retryAt: row.status === QUEUED && row.attempts > 0 ? row.due_at : null,
    result: row.result === null ? null : JSON.parse(row.result),
    error: row.error === null ? null : JSON.parse(row.error),
  });
}
