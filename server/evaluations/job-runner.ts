/** Runs evaluation jobs, several at a time, while the server runs. Every server of an account store has a runner. */

import { ServiceBusy } from "../../pipeline/evaluate/evaluation-error.ts";
import { type Effects, getErrorMessage } from "../../pipeline/stage/effects.ts";
import type { EvaluationResult } from "../../schemas/public/api/evaluation.ts";
import type { Problem, ProblemType } from "../../schemas/public/problem.ts";
import { poll } from "../http/poll.ts";
import { ProblemError } from "../http/response.ts";
import type { JobBounds, JobQueue, JobRow } from "./job-queue.ts";
import { toProblem } from "./request.ts";

type RunnerEffects = Pick<Effects, "now" | "sleep" | "log">;

/** Number of renewals during a lease, so that two may fail before the lease is lost. */
const RENEWALS_A_LEASE = 3;

const FORGET_MILLISECONDS = 60_000;

interface JobSource {
  readonly queue: JobQueue;
  /** Runs a job and returns its result. Throws an error if the job has no result. */
  work(job: JobRow): Promise<EvaluationResult>;
  /** Returns the ID of the request for a job, if this server received it. */
  findRequestId(job: string): string | undefined;
}

export class JobRunner {
  readonly #jobs: JobSource;
  readonly #settings: EvaluationSettings;
  readonly #effects: RunnerEffects;
  readonly #running = new Map<JobRow, Promise<void>>();
  readonly #loop: Promise<void>;
  readonly #over = new AbortController();
  #nap = new AbortController();
  #stopped = false;
  #forgottenAt = Number.NEGATIVE_INFINITY;
  /** True while the database fails, so that the outage is logged once. */
  #failing = false;

  constructor(jobs: JobSource, settings: EvaluationSettings, effects: RunnerEffects) {
    this.#jobs = jobs;
    this.#settings = settings;
    this.#effects = effects;
    this.#loop = this.#run();
  }

  /** Looks for jobs at once, because a job was added or has ended. */
  wake(): void {
    this.#nap.abort();
  }

  /**
   * Stops taking jobs and waits for the running ones. Jobs that still run after the grace period return to the queue.
   */
  async drain(graceMilliseconds: number): Promise<void> {
    this.#stopped = true;
    this.wake();
    await this.#loop;
    const ended = new AbortController();
    const grace = this.#sleep(graceMilliseconds, ended.signal);
    await Promise.race([Promise.all(this.#running.values()), grace]);
    ended.abort();
    this.#over.abort();
    // A late result is not written, because its lease is gone.
    for (const job of [...this.#running.keys()]) {
      this.#running.delete(job);
      await this.#guarded(() => this.#jobs.queue.putBack(job, this.#effects.now(), false, null));
    }
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#nap = new AbortController();
      await this.#guarded(() => this.#fill());
      if (!this.#stopped) await this.#sleep(this.#settings.pollMilliseconds, this.#nap.signal);
    }
  }

  /** Takes jobs as long as there are jobs and free places. */
  async #fill(): Promise<void> {
    const { queue } = this.#jobs;
    const now = this.#effects.now();
    for (const job of await queue.reclaim(now))
      this.#effects.log({ level: "warn", event: "job-reclaimed", ...this.#named(job) });
    if (now.getTime() - this.#forgottenAt >= FORGET_MILLISECONDS) {
      await queue.forget(now);
      this.#forgottenAt = now.getTime();
    }
    while (!this.#stopped && this.#running.size < this.#settings.jobsAtOnce) {
      const job = await queue.take(this.#effects.now(), this.#leaseEnd(), this.#busySources());
      if (job === null) return;
      const ended = this.#guarded(() => this.#finish(job)).finally(() => {
        this.#running.delete(job);
        this.wake();
      });
      this.#running.set(job, ended);
    }
  }

  /** Returns the sources whose jobs take all places but one. The last place is for jobs of other sources. */
  #busySources(): string[] {
    const most = Math.max(1, this.#settings.jobsAtOnce - 1);
    const jobs = Map.groupBy(this.#running.keys(), ({ source }) => source);
    return [...jobs].flatMap(([source, { length }]) => (length >= most ? [source] : []));
  }

  /** Runs a job and stores its end. The lease is extended until then, unless it was lost. */
  async #finish(job: JobRow): Promise<void> {
    const { queue } = this.#jobs;
    const done = new AbortController();
    const renew = () =>
      this.#guarded(async () => {
        if (!(await queue.renew(job, this.#leaseEnd()))) done.abort();
      });
    const signal = AbortSignal.any([done.signal, this.#over.signal]);
    const renewing = poll(renew, this.#settings.leaseMilliseconds / RENEWALS_A_LEASE, this.#effects.sleep, signal);
    const write = await this.#attempt(job).finally(() => done.abort());
    await renewing;
    // Another server has the job after a shutdown.
    if (!this.#running.has(job)) return;
    if (!(await write())) this.#effects.log({ level: "warn", event: "job-lease-lost", ...this.#named(job.id) });
  }

  /** Runs a job and returns the function that stores its end. */
  async #attempt(job: JobRow): Promise<() => Promise<boolean>> {
    const { queue } = this.#jobs;
    const { now, log } = this.#effects;
    const hopeless = hopelessProblem(job, now());
    if (hopeless !== null) return () => queue.end(job, { error: hopeless }, now());
    try {
      const result = await this.#jobs.work(job);
      return () => queue.end(job, { result }, now());
    } catch (error) {
      const failure = makeFailure(error, job);
      const { type, message: detail } = makeProblem(error);
      const reason = type === "internal" ? String(error) : type;
      const failed = { ...this.#named(job.id), attempt: job.attempts, reason };
      if (this.#running.has(job)) log({ level: "warn", event: "job-failed", ...failed });
      if ("error" in failure) return () => queue.end(job, failure, now());
      const dueAt = new Date(now().getTime() + 1000 * failure.retryAfterSeconds);
      return () => queue.putBack(job, dueAt, failure.fault, { at: now().toISOString(), detail });
    }
  }

  /** The fields of a log line that name a job and its request. */
  #named(job: string): { job: string; reqId?: string } {
    const reqId = this.#jobs.findRequestId(job);
    return reqId === undefined ? { job } : { job, reqId };
  }

  #leaseEnd(): Date {
    return new Date(this.#effects.now().getTime() + this.#settings.leaseMilliseconds);
  }

  /** Waits until the time is over or the signal fires. */
  async #sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#effects.sleep(milliseconds, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /**
   * Runs `work`, and logs the start of an outage if the database fails. Leases that expire are reclaimed later, here or
   * on another server.
   */
  async #guarded(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing)
        this.#effects.log({ level: "error", event: "jobs-not-reached", message: getErrorMessage(error) });
      this.#failing = true;
    }
  }
}

/** Returns the problem that callers see after a failed attempt. */
function makeProblem(error: unknown): ProblemError {
  const problem = toProblem(error);
  return problem instanceof ProblemError
    ? problem
    : new ProblemError(
        "internal",
        "The server failed to evaluate the dataset. Try again later, or report this to the operator.",
      );
}

/**
 * Types of temporary problems. `internal` is one of them, because another server, or another version of the program,
 * may succeed.
 */
const PASSING: readonly ProblemType[] = ["source-unreachable", "source-too-slow", "internal"];

/** Number of failed attempts after which a problem is treated as permanent. */
const MAX_FAULTS = 5;

/**
 * Number of failures after which a job that still has no result is given up, because it probably crashes its servers.
 */
const MAX_SILENT_ENDS = 20;

/** Age in milliseconds at which a job is given up, because a source that was busy for so long will not respond. */
const MAX_LIFE_MS = 24 * 3_600_000;

const FIRST_PAUSE_SECONDS = 5;
const MAX_PAUSE_SECONDS = 600;

type Failure =
  | { readonly error: Problem }
  /** `fault` is true if the attempt counts as failed, and false if the source was only busy. */
  | { readonly retryAfterSeconds: number; readonly fault: boolean };

/**
 * Returns the end of a job, or the pause before its next attempt. The pause doubles with each failed attempt. It is at
 * least as long as the source's Retry-After, but at most ten minutes.
 */
export function makeFailure(error: unknown, job: Pick<JobRow, "id" | "faults">): Failure {
  const problem = makeProblem(error);
  const retryAfter = Number(problem.headers["retry-after"] ?? 0);
  // The source did not receive a request: other jobs or users have used up its rate.
  if (isBusy(error)) return { retryAfterSeconds: choosePause(job, 0, retryAfter), fault: false };
  if (!PASSING.includes(problem.type) || job.faults + 1 >= MAX_FAULTS)
    return { error: problem.document(buildJobPath(job)) };
  return { retryAfterSeconds: choosePause(job, job.faults, retryAfter), fault: true };
}

/** Returns the problem of a job that can no longer succeed; null if the job still can. */
export function hopelessProblem(
  job: Pick<JobRow, "id" | "attempts" | "faults" | "created_at">,
  now: Date,
): Problem | null {
  if (job.faults >= MAX_SILENT_ENDS) {
    const detail = `The evaluation started ${job.attempts - 1} times and never finished. Report this to the operator.`;
    return new ProblemError("internal", detail).document(buildJobPath(job));
  }
  // Before the first attempt, the fault is not the source's.
  if (job.attempts === 1 || now.getTime() - Date.parse(job.created_at) < MAX_LIFE_MS) return null;
  const detail = "The source was busy for a day. Try again later.";
  return new ProblemError("source-too-slow", detail).document(buildJobPath(job));
}

export function buildJobPath({ id }: Pick<JobRow, "id">): string {
  return `/evaluation-jobs/${id}`;
}

/**
 * Returns the pause in seconds. It differs between jobs by up to a factor of two, so that they do not retry together.
 */
function choosePause({ id }: Pick<JobRow, "id">, faults: number, retryAfter: number): number {
  const share = Number.parseInt(id.slice(-4), 16) / 0xffff;
  const backOff = FIRST_PAUSE_SECONDS * 2 ** faults * (1 + share);
  return Math.min(Math.max(backOff, retryAfter), MAX_PAUSE_SECONDS);
}

function isBusy(error: unknown): boolean {
  if (error instanceof ServiceBusy) return true;
  return error instanceof Error && error.cause !== undefined && isBusy(error.cause);
}

export const DEFAULT_EVALUATION_SETTINGS = {
  /** Number of jobs that run at the same time on this server. */
  jobsAtOnce: 4,
  /** Limits of unfinished jobs of all servers: in all, of one caller, and of one source. */
  unfinishedJobs: { all: 1000, caller: 100, source: 300 } satisfies JobBounds,
  /** Milliseconds between two searches of a server for jobs of other servers and for retries. */
  pollMilliseconds: 1000,
  /**
   * Milliseconds after which a job of an unresponsive server is reclaimed. A server renews its leases each third of
   * this time.
   */
  leaseMilliseconds: 30_000,
};
export type EvaluationSettings = Readonly<typeof DEFAULT_EVALUATION_SETTINGS>;
