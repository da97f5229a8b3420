/** Failures of evaluation jobs: which are retried and after how many seconds, and which end the job. */

import { expect, test } from "vitest";
import {
  EvaluationError,
  type EvaluationFault,
  ServiceBusy,
  upstreamFault,
} from "../../pipeline/evaluate/evaluation-error.ts";
import type { JobRow } from "../../server/evaluations/job-queue.ts";
import { hopelessProblem, makeFailure } from "../../server/evaluations/job-runner.ts";
import { ProblemError } from "../../server/http/response.ts";

type Job = Pick<JobRow, "id" | "attempts" | "faults" | "created_at">;
const PLAIN: Job = { id: `j${"0".repeat(32)}`, attempts: 1, faults: 0, created_at: "2026-11-01T12:00:00.000Z" };
const of = (job: Partial<Job>): Job => ({ ...PLAIN, ...job });
const fault = (code: EvaluationFault, retryAfter?: number) =>
  new EvaluationError(code, "because", retryAfter === undefined ? {} : { retryAfter });
const busy = upstreamFault(new Error("asked too often", { cause: new ServiceBusy(36_000) }), "osf");

const AGAIN: readonly { name: string; error: unknown; job?: Partial<Job>; seconds: number; counts: boolean }[] = [
  { name: "an unreachable source", error: fault("source-unreachable"), seconds: 5, counts: true },
  { name: "a slow source", error: fault("source-too-slow"), seconds: 5, counts: true },
  { name: "an internal error", error: new TypeError("of ours"), seconds: 5, counts: true },
  { name: "the second failure", error: fault("source-too-slow"), job: { faults: 1 }, seconds: 10, counts: true },
  { name: "the fourth failure", error: fault("source-too-slow"), job: { faults: 3 }, seconds: 40, counts: true },
  {
    name: "an error of another job in the same worker",
    error: fault("source-too-slow"),
    job: { id: `j${"f".repeat(32)}` },
    seconds: 10,
    counts: true,
  },
  { name: "a source with Retry-After", error: fault("source-unreachable", 90), seconds: 90, counts: true },
  {
    name: "a source with a very long Retry-After",
    error: fault("source-unreachable", 86_400),
    seconds: 600,
    counts: true,
  },
  { name: "a source at its rate limit", error: busy, seconds: 36, counts: false },
  {
    name: "a source at its rate limit after many failures",
    error: busy,
    job: { faults: 15 },
    seconds: 36,
    counts: false,
  },
];

test.each(AGAIN)("a job is retried in $seconds seconds after $name", ({ error, job = {}, seconds, counts }) => {
  expect(makeFailure(error, of(job))).toEqual({ retryAfterSeconds: seconds, fault: counts });
});

const OVER: readonly { name: string; error: unknown; job?: Partial<Job>; type: string; status: number }[] = [
  { name: "no such record", error: fault("not-in-source"), type: "not-in-source", status: 404 },
  { name: "an unsupported source", error: fault("unsupported-source"), type: "unsupported-source", status: 422 },
  { name: "a malformed identifier", error: fault("malformed-identifier"), type: "invalid-body", status: 400 },
  {
    name: "a rejection by this service",
    error: new ProblemError("not-in-source", "No."),
    type: "not-in-source",
    status: 404,
  },
  {
    name: "the fifth failure",
    error: fault("source-too-slow"),
    job: { faults: 4 },
    type: "source-too-slow",
    status: 504,
  },
  { name: "the fifth internal error", error: "of ours", job: { faults: 4 }, type: "internal", status: 500 },
];

test.each(OVER)("an evaluation job ends with the problem $type after $name", ({ error, job = {}, type, status }) => {
  expect(makeFailure(error, of(job))).toEqual({
    error: expect.objectContaining({ type: `/problems/${type}`, status, instance: `/evaluation-jobs/${PLAIN.id}` }),
  });
});

test("the problem of a failed job does not disclose an internal error", () => {
  expect(JSON.stringify(makeFailure(new Error("/srv/secret"), of({ faults: 4 })))).not.toContain("secret");
});

test("a job ends with an error if twenty servers stopped while they ran it", () => {
  const now = new Date(PLAIN.created_at);
  expect(hopelessProblem(of({ attempts: 20, faults: 19 }), now)).toBeNull();
  expect(hopelessProblem(of({ attempts: 21, faults: 20 }), now)).toMatchObject({
    type: "/problems/internal",
    status: 500,
  });
});

const AGED: readonly { name: string; attempts: number; hours: number; over: boolean }[] = [
  { name: "a source that was busy for a day", attempts: 40, hours: 24, over: true },
  { name: "a source that was busy for an hour", attempts: 40, hours: 1, over: false },
  { name: "a day of waiting in the queue", attempts: 1, hours: 48, over: false },
];
test.each(AGED)("a job ends after $name: $over", ({ attempts, hours, over }) => {
  const now = new Date(Date.parse(PLAIN.created_at) + hours * 3_600_000);
  const ended = over ? { type: "/problems/source-too-slow", status: 504 } : null;
  const found = hopelessProblem(of({ attempts }), now);
  if (ended === null) expect(found).toBeNull();
  else expect(found).toMatchObject(ended);
});
