/**
 * The queue of evaluation jobs as its servers see it. A taken job is leased: its taker renews the lease while it works,
 * and a job whose lease runs out goes back. Every taking counts the job's attempts up, and whoever writes names the
 * attempt it writes for: a server that lost its lease without noticing writes nothing, so no job ends twice.
 */

import type { ExpressionBuilder, UpdateObject } from "kysely";
import type { EvaluationResult, JobStatus } from "../../schemas/public/api/evaluation.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import type { Accounts } from "../people/accounts/index.ts";
import type { AccountTables } from "../people/accounts/schema/tables.ts";

/** A job in the hands of its taker. */
export interface TakenJob {
  readonly id: string;
  readonly identifier: string;
  readonly rubricVersion: string;
  readonly source: string;
  readonly createdAt: string;
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

  /**
   * Takes the job whose turn it is, until `leasedUntil`; null where none is due. Of the sources, the one that is asked the
   * least just now comes first: one that is slow keeps nobody from the others.
   * @param passed sources that are not to be taken from
   */
  async take(now: Date, leasedUntil: Date, passed: readonly string[] = []): Promise<TakenJob | null> {
    const row = await this.#accounts.db
      .updateTable("evaluation_job")
      .set((is) => ({
        status: RUNNING,
        attempts: is("attempts", "+", 1),
        started_at: is.fn.coalesce("started_at", is.val(now.toISOString())),
        due_at: leasedUntil.toISOString(),
      }))
      .where("id", "=", (is) => this.#nextTurn(is, now, passed))
      .returning(["id", "identifier", "rubric_version", "source", "created_at", "attempts", "faults"])
      .executeTakeFirst();
    if (row === undefined) return null;
    const { id, identifier, source, attempts: attempt, faults } = row;
    return { id, identifier, rubricVersion: row.rubric_version, source, createdAt: row.created_at, attempt, faults };
  }

  /** Puts back every job whose lease has run out, one after the other; returns their ids. */
  async reclaim(now: Date): Promise<string[]> {
    const ids: string[] = [];
    for (;;) {
      const row = await this.#accounts.db
        .updateTable("evaluation_job")
        .set((is) => ({ status: QUEUED, due_at: now.toISOString(), faults: is("faults", "+", 1) }))
        .where("id", "=", (is) => this.#overdue(is, now))
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

  #nextTurn(is: ExpressionBuilder<AccountTables, "evaluation_job">, now: Date, passed: readonly string[]) {
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
    return this.#accounts.kind === "postgres" ? next.forUpdate("due").skipLocked() : next;
  }

  /** On PostgreSQL a job that another server is just taking is passed over; on SQLite writers come one after the other. */
  #overdue(is: ExpressionBuilder<AccountTables, "evaluation_job">, now: Date) {
    const next = is
      .selectFrom("evaluation_job")
      .select("id")
      .where("status", "=", RUNNING)
      .where("due_at", "<=", now.toISOString())
      .orderBy("due_at")
      .orderBy("id")
      .limit(1);
    return this.#accounts.kind === "postgres" ? next.forUpdate().skipLocked() : next;
  }
}
