/** The fate of a job whose evaluation failed: it is tried again where that may help, and says why where it is over. */

import { ServiceBusy } from "../../pipeline/evaluate/evaluation-error.ts";
import type { Problem, ProblemType } from "../../schemas/public/problem.ts";
import { ProblemError } from "../frame/answering/problem-error.ts";
import type { TakenJob } from "./job-leases.ts";
import { problemOf } from "./problem-of.ts";

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

export type Failure =
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
