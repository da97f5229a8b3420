/** Failures that end a job, and failures that are retried, with their delays. */

import { expect, test } from "vitest";
import {
  EvaluationError,
  type EvaluationFault,
  ServiceBusy,
  upstreamFault,
} from "../../pipeline/evaluate/evaluation-error.ts";
import type { LeasedJob } from "../../server/evaluations/job-queue.ts";
import { failureOf, hopelessProblem } from "../../server/evaluations/job-runner.ts";
import { ProblemError } from "../../server/http/response.ts";

const PLAIN: LeasedJob = {
  id: `j${"0".repeat(32)}`,
  identifier: "10.5072/a",
  rubricVersion: "2.0",
  source: "datacite",
  createdAt: "2026-11-01T12:00:00.000Z",
  attempt: 1,
  faults: 0,
};
const of = (job: Partial<LeasedJob>): LeasedJob => ({ ...PLAIN, ...job });
const fault = (code: EvaluationFault, retryAfter?: number) =>
  new EvaluationError(code, "because", retryAfter === undefined ? {} : { retryAfter });
const busy = upstreamFault(new Error("asked too often", { cause: new ServiceBusy(36_000) }), "osf");

const AGAIN: readonly { name: string; error: unknown; job?: Partial<LeasedJob>; seconds: number; counts: boolean }[] = [
  { name: "an unreachable source", error: fault("source-unreachable"), seconds: 5, counts: true },
  { name: "a slow source", error: fault("source-too-slow"), seconds: 5, counts: true },
  { name: "a fault of ours", error: new TypeError("of ours"), seconds: 5, counts: true },
  { name: "the second time", error: fault("source-too-slow"), job: { faults: 1 }, seconds: 10, counts: true },
  { name: "the fourth time", error: fault("source-too-slow"), job: { faults: 3 }, seconds: 40, counts: true },
  {
    name: "another job",
    error: fault("source-too-slow"),
    job: { id: `j${"f".repeat(32)}` },
    seconds: 10,
    counts: true,
  },
  { name: "a source that says how long", error: fault("source-unreachable", 90), seconds: 90, counts: true },
  { name: "a source that says far too long", error: fault("source-unreachable", 86_400), seconds: 600, counts: true },
  { name: "a source whose rate is used up", error: busy, seconds: 36, counts: false },
  { name: "the same after many faults", error: busy, job: { faults: 15 }, seconds: 36, counts: false },
];

test.each(AGAIN)("tried again: $name", ({ error, job = {}, seconds, counts }) => {
  expect(failureOf(error, of(job))).toEqual({ retryAfterSeconds: seconds, fault: counts });
});

const OVER: readonly { name: string; error: unknown; job?: Partial<LeasedJob>; type: string; status: number }[] = [
  { name: "no such record", error: fault("not-in-source"), type: "not-in-source", status: 404 },
  { name: "an unsupported source", error: fault("unsupported-source"), type: "unsupported-source", status: 422 },
  { name: "a malformed identifier", error: fault("malformed-identifier"), type: "invalid-body", status: 400 },
  { name: "a refusal of ours", error: new ProblemError("not-in-source", "No."), type: "not-in-source", status: 404 },
  { name: "the fifth time", error: fault("source-too-slow"), job: { faults: 4 }, type: "source-too-slow", status: 504 },
  { name: "a fault of ours, the fifth time", error: "of ours", job: { faults: 4 }, type: "internal", status: 500 },
];

test.each(OVER)("over: $name", ({ error, job = {}, type, status }) => {
  expect(failureOf(error, of(job))).toEqual({
    error: expect.objectContaining({ type: `/problems/${type}`, status, instance: `/evaluation-jobs/${PLAIN.id}` }),
  });
});

test("does not disclose an internal error", () => {
  expect(JSON.stringify(failureOf(new Error("/srv/secret"), of({ faults: 4 })))).not.toContain("secret");
});

test("gives up a job after twenty servers stopped responding", () => {
  const now = new Date(PLAIN.createdAt);
  expect(hopelessProblem(of({ attempt: 20, faults: 19 }), now)).toBeNull();
  expect(hopelessProblem(of({ attempt: 21, faults: 20 }), now)).toMatchObject({
    type: "/problems/internal",
    status: 500,
  });
});

const AGED: readonly { name: string; attempt: number; hours: number; over: boolean }[] = [
  { name: "a source that was busy for a day", attempt: 40, hours: 24, over: true },
  { name: "a source that was busy for an hour", attempt: 40, hours: 1, over: false },
  { name: "a day of waiting in the queue", attempt: 1, hours: 48, over: false },
];
test.each(AGED)("$name ends a job: $over", ({ attempt, hours, over }) => {
  const now = new Date(Date.parse(PLAIN.createdAt) + hours * 3_600_000);
  const ended = over ? { type: "/problems/source-too-slow", status: 504 } : null;
  const found = hopelessProblem(of({ attempt }), now);
  if (ended === null) expect(found).toBeNull();
  else expect(found).toMatchObject(ended);
});
