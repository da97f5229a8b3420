/**
 * The queue of evaluation jobs as its servers see it. A taken job is leased: its taker renews the lease while it works,
 * and a job whose lease runs out goes back. Every taking counts the job's attempts up, and whoever writes names the
 * attempt it writes for: a server that lost its lease without noticing writes nothing, so no job ends twice.
 */

import type { ExpressionBuilder, UpdateObject } from "kysely";
import type { EvaluationResult, JobStatus } from "../../schemas/api/evaluation.ts";
import type { Problem } from "../../schemas/problem.ts";
import type { Accounts } from "../accounts/index.ts";
import type { AccountTables } from "../accounts/tables.ts";

/** A job in the hands of its taker. */
export interface TakenJob {
  readonly id: string;
  readonly identifier: string;
  readonly rubricVersion: string;
  /** Which taking of the job this is, from 1: the right to write about it. */
  readonly attempt: number;
  /** How many attempts before this one came to nothing. */
  readonly faults: number;
}

type Change = UpdateObject<AccountTables, "evaluation_job">;

const QUEUED = "queued" satisfies JobStatus;
const RUNNING = "running" satisfies JobStatus;

/** How a job ends. */
export type Ending = { readonly result: EvaluationResult } | { readonly error: Problem };

export class JobLeases {
  readonly #accounts: Accounts;

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  /** Takes the job that has been due for longest, until `leasedUntil`; null where none is due. */
  async take(now: Date, leasedUntil: Date): Promise<TakenJob | null> {
    const row = await this.#accounts.db
      .updateTable("evaluation_job")
      .set((is) => ({
        status: RUNNING,
        attempts: is("attempts", "+", 1),
        started_at: is.fn.coalesce("started_at", is.val(now.toISOString())),
        due_at: leasedUntil.toISOString(),
      }))
      .where("id", "=", (is) => this.#nextDue(is, QUEUED, now))
      .returning(["id", "identifier", "rubric_version", "attempts", "faults"])
      .executeTakeFirst();
    if (row === undefined) return null;
    const { id, identifier, rubric_version: rubricVersion, attempts: attempt, faults } = row;
    return { id, identifier, rubricVersion, attempt, faults };
  }

  /** Puts back every job whose lease has run out, one after the other; returns their ids. */
  async reclaim(now: Date): Promise<string[]> {
    const ids: string[] = [];
    for (;;) {
      const row = await this.#accounts.db
        .updateTable("evaluation_job")
        .set((is) => ({ status: QUEUED, due_at: now.toISOString(), faults: is("faults", "+", 1) }))
        .where("id", "=", (is) => this.#nextDue(is, RUNNING, now))
        .returning("id")
        .executeTakeFirst();
      if (row === undefined) return ids;
      ids.push(row.id);
    }
  }

  /** Whether the lease was still the taker's, and now lasts until `leasedUntil`. */
  renew(job: TakenJob, leasedUntil: Date): Promise<boolean> {
    return this.#change(job, { due_at: leasedUntil.toISOString() });
  }

  /** Whether the end was the taker's to write. */
  end(job: TakenJob, ending: Ending, now: Date): Promise<boolean> {
    const status: JobStatus = "result" in ending ? "succeeded" : "failed";
    return this.#change(job, {
      status,
      finished_at: now.toISOString(),
      due_at: null,
      result: "result" in ending ? JSON.stringify(ending.result) : null,
      error: "error" in ending ? JSON.stringify(ending.error) : null,
    });
  }

  /** Gives a job back, to be taken again from `dueAt` on; `fault` where the attempt came to nothing. */
  putBack(job: TakenJob, dueAt: Date, fault: boolean): Promise<boolean> {
    return this.#change(job, { status: QUEUED, due_at: dueAt.toISOString(), faults: job.faults + (fault ? 1 : 0) });
  }

  async #change({ id, attempt }: TakenJob, change: Change): Promise<boolean> {
    const { numUpdatedRows } = await this.#accounts.db
      .updateTable("evaluation_job")
      .set(change)
      .where("id", "=", id)
      .where("status", "=", RUNNING)
      .where("attempts", "=", attempt)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /** On PostgreSQL a job that another server is just taking is passed over; on SQLite writers come one after the other. */
  #nextDue(is: ExpressionBuilder<AccountTables, "evaluation_job">, status: JobStatus, now: Date) {
    const next = is
      .selectFrom("evaluation_job")
      .select("id")
      .where("status", "=", status)
      .where("due_at", "<=", now.toISOString())
      .orderBy("due_at")
      .orderBy("id")
      .limit(1);
    return this.#accounts.kind === "postgres" ? next.forUpdate().skipLocked() : next;
  }
}
