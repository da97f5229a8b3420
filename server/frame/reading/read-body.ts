/** The body of a request by its schema; what it does not allow is 400, with every field at fault named. */

import { z } from "zod";
import type { Problem } from "../../../schemas/public/problem.ts";
import { ProblemError } from "../answering/problem-error.ts";

/**
 * `null` for an optional member means that it is absent.
 * @throws ProblemError `invalid-body`
 */
export function readBody<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  const parsed = schema.safeParse(schema instanceof z.ZodObject ? withoutNulls(schema, body) : body);
  if (parsed.success) return parsed.data;
  throw malformedBody(parsed.error.issues.map(({ path, message }) => ({ path: path.map(String).join("."), message })));
}

function withoutNulls({ shape }: z.ZodObject, body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  // A body may have a member called "constructor", which every object inherits.
  const isAbsent = ([name, value]: [string, unknown]) =>
    value === null && Object.hasOwn(shape, name) && shape[name]?.safeParse(undefined).success;
  return Object.fromEntries(Object.entries(body).filter((member) => !isAbsent(member)));
}

/** `faults` by field, '' where it is the body as a whole. */
export function malformedBody(faults: NonNullable<Problem["errors"]>): ProblemError {
  // The first thing wrong with a field; the others often follow from it.
  const errors = faults.filter(({ path }, i) => faults.findIndex((fault) => fault.path === path) === i);
  const named = errors.map(({ path, message }) => (path === "" ? `the body ${message}` : `${path}: ${message}`));
  return new ProblemError("invalid-body", `The request is malformed: ${named.join("; ")}.`, { errors });
}
