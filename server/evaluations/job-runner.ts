/** Works on evaluation jobs, several at a time, for as long as the server runs: every server of an account store has one. */

import type { Effects } from "../../pipeline/stage/effects.ts";
import type { EvaluationResult } from "../../schemas/public/api/evaluation.ts";
import { ProblemError } from "../frame/answering/problem-error.ts";
import { failureOf, givenUp } from "./job-failure.ts";
import type { JobLeases, TakenJob } from "./job-leases.ts";
import type { JobQueue } from "./job-queue.ts";
import { problemOf } from "./problem-of.ts";
import type { EvaluationSettings } from "./settings.ts";

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
