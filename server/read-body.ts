/** The body of a request by its schema; what it does not allow is 400, with every field at fault named. */

import type { z } from "zod";
import type { Problem } from "../schemas/problem.ts";
import { ProblemError } from "./problem-error.ts";

/** @throws ProblemError `invalid-body` */
export function readBody<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const errors: NonNullable<Problem["errors"]> = [];
  for (const { path, message } of parsed.error.issues) {
    const name = path.map(String).join(".");
    // The first thing wrong with a field; the others often follow from it.
    if (!errors.some((error) => error.path === name)) errors.push({ path: name, message });
  }
  const named = errors.map(({ path, message }) => (path === "" ? `the body ${message}` : `${path} ${message}`));
  throw new ProblemError("invalid-body", `The request is malformed: ${named.join("; ")}.`, { errors });
}
