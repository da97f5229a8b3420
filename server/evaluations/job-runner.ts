/** Works on evaluation jobs, several at a time, for as long as the server runs: every server of an account store has one. */

import { ServiceBusy } from "../../pipeline/evaluate/evaluation-error.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { EvaluationResult } from "../../schemas/public/api/evaluation.ts";
import type { Problem, ProblemType } from "../../schemas/public/problem.ts";
import { ProblemError } from "../http/response.ts";
import type { JobLeases, JobQueue, TakenJob } from "./job-queue.ts";
import { problemOf } from "./request.ts";

type Settings = Pick<EvaluationSettings, "jobsAtOnce" | "pollMilliseconds" | "leaseMilliseconds">;
type RunnerEffects = Pick<Effects, "now" | "sleep" | "log">;

/** Renewed so often that two renewals may fail before a lease is lost. */
const RENEWALS_A_LEASE = 3;

/** How often jobs that are too old are looked for. */
const FORGET_MILLISECONDS = 60_000;

export interface JobSource {
  readonly queue: JobQueue;
  readonly leases: JobLeases;
  /** Does what a job asks for, or throws why that cannot be done. */
  work(job: TakenJob): Promise<EvaluationResult>;
}

export class JobRunner {
  readonly #jobs: JobSource;
  readonly #settings: Settings;
  readonly #effects: RunnerEffects;
  /** What is being worked on, with the promise of its end. */
  readonly #underWay = new Map<TakenJob, Promise<void>>();
  readonly #loop: Promise<void>;
  readonly #over = new AbortController();
  #nap = new AbortController();
  #stopped = false;
  #forgottenAt = Number.NEGATIVE_INFINITY;
  /** So that a database that stays away is logged once. */
  #failing = false;

  /** Begins at once. */
  constructor(jobs: JobSource, settings: Settings, effects: RunnerEffects) {
    this.#jobs = jobs;
    this.#settings = settings;
    this.#effects = effects;
    this.#loop = this.#run();
  }

  /** There may be something to do: a job was added here, or one has ended. */
  wake(): void {
    this.#nap.abort();
  }

  /**
   * Takes no more jobs, and finishes those under way; what is not done after the grace is put back for other servers.
   */
  async drain(graceMilliseconds: number): Promise<void> {
    this.#stopped = true;
    this.wake();
    await this.#loop;
    const ended = new AbortController();
    const grace = this.#sleep(graceMilliseconds, ended.signal);
    await Promise.race([Promise.all(this.#underWay.values()), grace]);
    ended.abort();
    this.#over.abort();
    // Once it has no lease, what comes of it late is not written.
    for (const job of [...this.#underWay.keys()]) {
      this.#underWay.delete(job);
      await this.#guarded(() => this.#jobs.leases.putBack(job, this.#effects.now(), false));
    }
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#nap = new AbortController();
      await this.#guarded(() => this.#fill());
      if (!this.#stopped) await this.#sleep(this.#settings.pollMilliseconds, this.#nap.signal);
    }
  }

  /** Takes as many jobs as there are and may be worked on. */
  async #fill(): Promise<void> {
    const { leases, queue } = this.#jobs;
    const now = this.#effects.now();
    for (const job of await leases.reclaim(now)) this.#effects.log({ level: "warn", event: "job-reclaimed", job });
    if (now.getTime() - this.#forgottenAt >= FORGET_MILLISECONDS) {
      await queue.forget(now);
      this.#forgottenAt = now.getTime();
    }
    while (!this.#stopped && this.#underWay.size < this.#settings.jobsAtOnce) {
      const job = await leases.take(this.#effects.now(), this.#leaseEnd(), this.#crowded());
      if (job === null) return;
      const ended = this.#guarded(() => this.#finish(job)).finally(() => {
        this.#underWay.delete(job);
        this.wake();
      });
      this.#underWay.set(job, ended);
    }
  }

  /** A source that has all places but one: the last is for the others. */
  #crowded(): string[] {
    const most = Math.max(1, this.#settings.jobsAtOnce - 1);
    const jobs = Map.groupBy(this.#underWay.keys(), ({ source }) => source);
    return [...jobs].flatMap(([source, { length }]) => (length >= most ? [source] : []));
  }

  async #finish(job: TakenJob): Promise<void> {
    const done = new AbortController();
    const renewing = this.#renew(job, AbortSignal.any([done.signal, this.#over.signal]));
    const write = await this.#attempt(job).finally(() => done.abort());
    await renewing;
    // Drained: it is another server's by now.
    if (!this.#underWay.has(job)) return;
    if (!(await write())) this.#effects.log({ level: "warn", event: "job-lease-lost", job: job.id });
  }

  /** Does the work; returns how to write what came of it. */
  async #attempt(job: TakenJob): Promise<() => Promise<boolean>> {
    const { leases } = this.#jobs;
    const { now, log } = this.#effects;
    const hopeless = givenUp(job, now());
    if (hopeless !== null) return () => leases.end(job, { error: hopeless }, now());
    try {
      const result = await this.#jobs.work(job);
      return () => leases.end(job, { result }, now());
    } catch (error) {
      const failure = failureOf(error, job);
      if (this.#underWay.has(job))
        log({ level: "warn", event: "job-failed", job: job.id, attempt: job.attempt, reason: reasonOf(error) });
      if ("error" in failure) return () => leases.end(job, failure, now());
      const dueAt = new Date(now().getTime() + 1000 * failure.retryAfterSeconds);
      return () => leases.putBack(job, dueAt, failure.fault);
    }
  }

  /** Keeps the lease until the work is done or the job is somebody else's. */
  async #renew(job: TakenJob, done: AbortSignal): Promise<void> {
    for (;;) {
      await this.#sleep(this.#settings.leaseMilliseconds / RENEWALS_A_LEASE, done);
      if (done.aborted) return;
      let kept = true;
      await this.#guarded(async () => {
        kept = await this.#jobs.leases.renew(job, this.#leaseEnd());
      });
      if (!kept) return;
    }
  }

  #leaseEnd(): Date {
    return new Date(this.#effects.now().getTime() + this.#settings.leaseMilliseconds);
  }

  /** Waits, until the signal says that it need not. */
  async #sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#effects.sleep(milliseconds, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** A database that is away is waited for: what was leased is reclaimed later, here or elsewhere. */
  async #guarded(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#effects.log({ level: "error", event: "jobs-not-reached", message: String(error) });
      this.#failing = true;
    }
  }
}

/** The words of a refusal may repeat what somebody typed: its type is enough. */
function reasonOf(error: unknown): string {
  const problem = problemOf(error);
  return problem instanceof ProblemError ? problem.type : String(error);
}

/** Faults that pass. `internal` is among them: what fails here may succeed on the next server, or after an update. */
const PASSING: readonly ProblemType[] = ["source-unreachable", "source-too-slow", "internal"];

/** A fault that passes has not passed after this many attempts. */
const MOST_FAULTS = 5;

/** A job that came to nothing so often, without any fault of a source, brings its servers down. */
const MOST_SILENT_ENDS = 20;

/** A source that was busy for so long is not going to answer. */
const LONGEST_LIFE_MS = 24 * 3_600_000;

const FIRST_PAUSE_SECONDS = 5;
const LONGEST_PAUSE_SECONDS = 600;

type Failure =
  | { readonly error: Problem }
  /** `fault`: whether it counts against the job. */
  | { readonly retryAfterSeconds: number; readonly fault: boolean };

/** Waits double from fault to fault; a source that said how long is believed, within bounds. */
export function failureOf(error: unknown, job: TakenJob): Failure {
  const known = problemOf(error);
  const problem = known instanceof ProblemError ? known : new ProblemError("internal", "The evaluation failed here.");
  const asked = Number(problem.headers["retry-after"] ?? 0);
  // Nobody was asked: the source's rate is used up for now, by other jobs or by people who wait.
  if (isBusy(error)) return { retryAfterSeconds: pauseOf(job, 0, asked), fault: false };
  if (!PASSING.includes(problem.type) || job.faults + 1 >= MOST_FAULTS) return { error: problem.document(pathOf(job)) };
  return { retryAfterSeconds: pauseOf(job, job.faults, asked), fault: true };
}

/** The end of a job that nobody brings to one; null where there is hope. */
export function givenUp(job: TakenJob, now: Date): Problem | null {
  if (job.faults >= MOST_SILENT_ENDS) {
    const detail = `The evaluation was begun ${job.attempt - 1} times and never came to an end.`;
    return new ProblemError("internal", detail).document(pathOf(job));
  }
  // Of a job that was never tried, nobody can say that its source is busy.
  if (job.attempt === 1 || now.getTime() - Date.parse(job.createdAt) < LONGEST_LIFE_MS) return null;
  const detail = "The source was busy for a day; try again later.";
  return new ProblemError("source-too-slow", detail).document(pathOf(job));
}

/** Where a job is read. */
export function pathOf({ id }: Pick<TakenJob, "id">): string {
  return `/evaluation-jobs/${id}`;
}

/** Up to twice as long for some jobs as for others: those that failed together do not come back together. */
function pauseOf({ id }: TakenJob, faults: number, asked: number): number {
  const share = Number.parseInt(id.slice(-4), 16) / 0xffff;
  const backOff = FIRST_PAUSE_SECONDS * 2 ** faults * (1 + share);
  return Math.min(Math.max(backOff, asked), LONGEST_PAUSE_SECONDS);
}

function isBusy(error: unknown): boolean {
  if (error instanceof ServiceBusy) return true;
  return error instanceof Error && error.cause !== undefined && isBusy(error.cause);
}

export interface EvaluationSettings {
  /** Jobs that a server works on at a time. */
  readonly jobsAtOnce: number;
  /** Jobs of all servers that have not ended; a further one is refused. */
  readonly unfinishedJobs: number;
  /** Of these, of one caller. */
  readonly unfinishedJobsOfCaller: number;
  /** Of these, of one source. */
  readonly unfinishedJobsOfSource: number;
  /** How often a server looks for jobs that it does not know of: those of other servers, and those it may try again. */
  readonly pollMilliseconds: number;
  /** How long a job stays with a server that has fallen silent. It is renewed at every third of this. */
  readonly leaseMilliseconds: number;
}

export const DEFAULT_EVALUATION_SETTINGS: EvaluationSettings = {
  jobsAtOnce: 4,
  unfinishedJobs: 1000,
  unfinishedJobsOfCaller: 100,
  unfinishedJobsOfSource: 300,
  pollMilliseconds: 1000,
  leaseMilliseconds: 30_000,
};
