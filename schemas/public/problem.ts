/** Errors as the API answers them: RFC 9457 problem details. */

import { z } from "zod";
import { named } from "./named.ts";
import { sourceName } from "./scalars.ts";

/** The problems there are; the key is the last segment of `type`. */
export const PROBLEMS = {
  "invalid-parameter": { status: 400, title: "A parameter is malformed or out of range" },
  "invalid-body": { status: 400, title: "The body is malformed" },
  "invalid-request": { status: 400, title: "Not an HTTP request" },
  "unsupported-rubric": { status: 400, title: "Unsupported SHARE version" },
  "sign-in-failed": { status: 400, title: "Signing in did not succeed" },
  "bad-api-key": { status: 401, title: "Unknown or revoked API key" },
  "no-session": { status: 401, title: "Not signed in" },
  "wrong-origin": { status: 403, title: "Sent by a page of another site" },
  "claim-needed": { status: 403, title: "An approved claim is needed" },
  "not-found": { status: 404, title: "There is nothing at this address" },
  "dataset-not-found": { status: 404, title: "Dataset not found" },
  "researcher-not-found": { status: 404, title: "Researcher not found" },
  "repository-not-found": { status: 404, title: "Repository not found" },
  "release-not-found": { status: 404, title: "Release not found" },
  "not-in-source": { status: 404, title: "The source has no such dataset" },
  "job-not-found": { status: 404, title: "Evaluation job not found" },
  "session-not-found": { status: 404, title: "Session not found" },
  "not-saved": { status: 404, title: "This is not among what is saved" },
  "method-not-allowed": { status: 405, title: "Method not allowed" },
  "request-timeout": { status: 408, title: "The request took too long to arrive" },
  "rubric-not-published": { status: 409, title: "The selected rubric has no published data" },
  "history-not-published": { status: 409, title: "The selected release has no historical metrics" },
  "attribution-not-published": { status: 409, title: "The selected release has no complete attribution receipt" },
  duplicate: { status: 409, title: "This is there already" },
  "account-full": { status: 409, title: "The account has as many of these as it may" },
  "cursor-expired": { status: 410, title: "The cursor is of another release" },
  "link-used": { status: 410, title: "The link was used, has expired or never was" },
  "body-too-large": { status: 413, title: "The body is too large" },
  "unsupported-media-type": { status: 415, title: "Unsupported media type" },
  "range-not-satisfiable": { status: 416, title: "The range lies outside the file" },
  "unsupported-source": { status: 422, title: "The identifier is of no supported source" },
  "expectation-failed": { status: 417, title: "The expectation cannot be met" },
  "rate-limited": { status: 429, title: "Too many requests" },
  "too-many-registrations": { status: 429, title: "Too many registrations" },
  "too-many-links": { status: 429, title: "Too many sign-in links" },
  "too-many-evaluations": { status: 429, title: "Too many evaluations are waiting" },
  "headers-too-large": { status: 431, title: "The request's headers are too large" },
  "source-unreachable": { status: 502, title: "The source gave no usable answer" },
  "provider-unreachable": { status: 502, title: "The identity provider gave no usable answer" },
  "no-release": { status: 503, title: "No release is active" },
  overloaded: { status: 503, title: "Too many queries at once" },
  unavailable: { status: 503, title: "The service cannot be reached" },
  draining: { status: 503, title: "The server is shutting down" },
  "sign-in-not-configured": { status: 503, title: "This way of signing in is not set up" },
  "accounts-unavailable": { status: 503, title: "Accounts cannot be reached" },
  "source-too-slow": { status: 504, title: "The source did not answer in time" },
  internal: { status: 500, title: "Internal error" },
} as const;
export type ProblemType = keyof typeof PROBLEMS;

export const problem = named(
  "Problem",
  z.object({
    type: z.string().regex(/^\/problems\/[a-z0-9-]+$/),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    instance: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
);
export type Problem = z.infer<typeof problem>;

/** A problem document. `instance` is the path asked for. */
export function problemOf(type: ProblemType, detail: string, instance: string, errors?: Problem["errors"]): Problem {
  const { status, title } = PROBLEMS[type];
  return { type: `/problems/${type}`, title, status, detail, instance, ...(errors === undefined ? {} : { errors }) };
}

/** Why input was no record at all: a closed list, so that receipts can be compared. */
export const REFUSALS = [
  "empty",
  "binary",
  "encoding",
  "truncated",
  "not-json",
  "too-deep",
  "too-large",
  "error-answer",
  "retired-format",
  "unknown-shape",
  "no-identifier",
  "unreadable",
] as const;
export const refusalReason = z.enum(REFUSALS);
export type RefusalReason = z.infer<typeof refusalReason>;

/** One piece of refused input: which file, which line or item, what was wrong. */
export const refusal = z.strictObject({
  source: sourceName,
  file: z.string(),
  /** 1-based line (JSON Lines) or item (list envelope); null for a whole file. */
  line: z.int().min(1).nullable(),
  reason: refusalReason,
  detail: z.string(),
  /** How many pieces the line speaks of, where there are too many to have a line each. */
  count: z.int().min(1).optional(),
});
export type Refusal = z.infer<typeof refusal>;
