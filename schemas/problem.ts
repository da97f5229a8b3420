/** Errors as the API answers them: RFC 9457 problem details. */

import { z } from "zod";

/** The problems there are; the key is the last segment of `type`. */
export const PROBLEMS = {
  "invalid-parameter": { status: 400, title: "A parameter is malformed or out of range" },
  "unsupported-rubric": { status: 400, title: "Unsupported SHARE version" },
  "not-found": { status: 404, title: "There is nothing at this address" },
  "dataset-not-found": { status: 404, title: "Dataset not found" },
  "researcher-not-found": { status: 404, title: "Researcher not found" },
  "repository-not-found": { status: 404, title: "Repository not found" },
  "release-not-found": { status: 404, title: "Release not found" },
  "method-not-allowed": { status: 405, title: "Method not allowed" },
  "rubric-not-published": { status: 409, title: "The selected rubric has no published data" },
  "history-not-published": { status: 409, title: "The selected release has no historical metrics" },
  "attribution-not-published": { status: 409, title: "The selected release has no complete attribution receipt" },
  "query-not-available": { status: 501, title: "This query is not available yet" },
  "no-release": { status: 503, title: "No release is active" },
  draining: { status: 503, title: "The server is shutting down" },
  internal: { status: 500, title: "Internal error" },
} as const;
export type ProblemType = keyof typeof PROBLEMS;

export const problem = z.object({
  type: z.string().regex(/^\/problems\/[a-z0-9-]+$/),
  title: z.string(),
  status: z.int().min(400).max(599),
  detail: z.string(),
  instance: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type Problem = z.infer<typeof problem>;

/** A problem document. `instance` is the path asked for. */
export function problemOf(type: ProblemType, detail: string, instance: string, errors?: Problem["errors"]): Problem {
  const { status, title } = PROBLEMS[type];
  return { type: `/problems/${type}`, title, status, detail, instance, ...(errors === undefined ? {} : { errors }) };
}
