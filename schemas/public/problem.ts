/** Problem details (RFC 9457), the error format of the API. */

import { z } from "zod";
import { named } from "./named.ts";
import { sourceName } from "./scalars.ts";

/** Every problem type, by the last segment of its URL. */
export const PROBLEMS = {
  "invalid-parameter": { status: 400, title: "A parameter is malformed or out of range" },
  "invalid-body": { status: 400, title: "The body is malformed" },
  "invalid-request": { status: 400, title: "Not an HTTP request" },
  "unsupported-rubric": { status: 400, title: "Unsupported SHARE version" },
  "sign-in-failed": { status: 400, title: "Sign-in failed" },
  "bad-api-key": { status: 401, title: "Unknown or revoked API key" },
  "no-session": { status: 401, title: "Not signed in" },
  "wrong-origin": { status: 403, title: "Request from another origin" },
  "claim-needed": { status: 403, title: "Approved claim required" },
  "not-found": { status: 404, title: "Not found" },
  "dataset-not-found": { status: 404, title: "Dataset not found" },
  "researcher-not-found": { status: 404, title: "Researcher not found" },
  "repository-not-found": { status: 404, title: "Repository not found" },
  "release-not-found": { status: 404, title: "Release not found" },
  "not-in-source": { status: 404, title: "The source has no such dataset" },
  "job-not-found": { status: 404, title: "Evaluation job not found" },
  "session-not-found": { status: 404, title: "Session not found" },
  "not-saved": { status: 404, title: "Saved item not found" },
  "method-not-allowed": { status: 405, title: "Method not allowed" },
  "request-timeout": { status: 408, title: "Request timeout" },
  "rubric-not-published": { status: 409, title: "The selected rubric has no published data" },
  "history-not-published": { status: 409, title: "The selected release has no historical metrics" },
  "attribution-not-published": { status: 409, title: "The selected release has no complete attribution receipt" },
  duplicate: { status: 409, title: "Already exists" },
  "account-full": { status: 409, title: "Account limit reached" },
  "cursor-expired": { status: 410, title: "Cursor of another release" },
  "link-used": { status: 410, title: "Link used, expired or unknown" },
  "body-too-large": { status: 413, title: "Request body too large" },
  "unsupported-media-type": { status: 415, title: "Unsupported media type" },
  "range-not-satisfiable": { status: 416, title: "Range not satisfiable" },
  "unsupported-source": { status: 422, title: "Source not supported" },
  "expectation-failed": { status: 417, title: "Expectation failed" },
  "rate-limited": { status: 429, title: "Too many requests" },
  "too-many-registrations": { status: 429, title: "Too many registrations" },
  "too-many-links": { status: 429, title: "Too many sign-in links" },
  "too-many-evaluations": { status: 429, title: "Too many waiting evaluations" },
  "headers-too-large": { status: 431, title: "Request headers too large" },
  "source-unreachable": { status: 502, title: "Source unreachable" },
  "provider-unreachable": { status: 502, title: "Identity provider unreachable" },
  "no-release": { status: 503, title: "No release is active" },
  overloaded: { status: 503, title: "Too many queries at once" },
  unavailable: { status: 503, title: "Service unavailable" },
  draining: { status: 503, title: "Server is shutting down" },
  "sign-in-not-configured": { status: 503, title: "Sign-in method not configured" },
  "accounts-unavailable": { status: 503, title: "Accounts unavailable" },
  "source-too-slow": { status: 504, title: "Source timeout" },
  internal: { status: 500, title: "Internal error" },
} as const;
export type ProblemType = keyof typeof PROBLEMS;

/** Problems that every route with a request body can return. */
export const BODY_PROBLEMS = ["invalid-body", "body-too-large", "unsupported-media-type"] as const;

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

/** Returns a problem document. `instance` is the path of the request. */
export function buildProblem(type: ProblemType, detail: string, instance: string, errors?: Problem["errors"]): Problem {
  const { status, title } = PROBLEMS[type];
  return { type: `/problems/${type}`, title, status, detail, instance, ...(errors === undefined ? {} : { errors }) };
}

/** Reasons why input was rejected. The list is closed, so that receipts can be compared. */
export const REJECTIONS = [
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
export const rejectionReason = z.enum(REJECTIONS);
export type RejectionReason = z.infer<typeof rejectionReason>;

export const rejection = z.strictObject({
  source: sourceName,
  file: z.string(),
  /** Line in JSON Lines, or position in a list, from 1; null if the whole file was rejected. */
  line: z.int().min(1).nullable(),
  reason: rejectionReason,
  detail: z.string(),
  /** Number of rejected items with the same reason. Set if there were too many to list each one. */
  count: z.int().min(1).optional(),
});
export type ParameterRejection = z.infer<typeof rejection>;
