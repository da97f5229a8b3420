/** The queue of evaluation jobs as its callers see it: adding one, reading one, forgetting those that are old. */

import { randomBytes } from "node:crypto";
import { type Selectable, sql, type Transaction } from "kysely";
import { z } from "zod";
import { evaluationJob } from "../../schemas/api/evaluation.ts";
import type { Accounts } from "../accounts/index.ts";
import type { AccountTables } from "../accounts/tables.ts";

/** What one job is to do. */
export interface JobRequest {
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

/** Which lock of a PostgreSQL is ours; any number that nothing else there takes. */
const LOCK = 7_420_226;

export class JobQueue {
  readonly #accounts: Accounts;
  readonly #most: number;

  /** `most`: jobs that may be unfinished at a time. */
  constructor(accounts: Accounts, most: number) {
    this.#accounts = accounts;
    this.#most = most;
  }

  /** The job of a request: a new one, or the one that the same request has already; null where the queue is full. */
  async add(request: JobRequest, now: Date): Promise<KeptJob | null> {
    const row = await this.#accounts.db.transaction().execute(async (trx) => {
      // Requests are looked at one after the other: two of the same, or the last two places, would pass both otherwise.
      if (this.#accounts.kind === "postgres") await sql`select pg_advisory_xact_lock(${LOCK})`.execute(trx);
      const same = await sameJob(trx, request.subject, now);
      if (same !== undefined) return same;
      if ((await unfinished(trx)) >= this.#most) return null;
      return trx.insertInto("evaluation_job").values(newRow(request, now)).returningAll().executeTakeFirstOrThrow();
    });
    return row === null ? null : jobOf(row);
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

async function unfinished(trx: Transaction<AccountTables>): Promise<number> {
  const { jobs } = await trx
    .selectFrom("evaluation_job")
    .select(({ fn }) => fn.countAll<number>().as("jobs"))
    .where("status", "in", ["queued", "running"])
    .executeTakeFirstOrThrow();
  return jobs;
}

function newRow({ subject, identifier, rubricVersion }: JobRequest, now: Date): JobRow {
  const instant = now.toISOString();
  return {
    id: `j${randomBytes(16).toString("hex")}`,
    subject,
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
