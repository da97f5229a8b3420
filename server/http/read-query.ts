/** The query of a request: its known parameters, each once, as the values the route's schema gives. */

import type { z } from "zod";
import type { Route } from "../../api-static/route.ts";
import { PUBLIC_VERSIONS } from "../../schemas/rubric.ts";
import { ProblemError } from "./problem-error.ts";

type Fault = { readonly path: string; readonly message: string };

/**
 * Reads the text after `?` by the schema of the route; unknown parameters are ignored (decisions.md, "Requests").
 * @throws ProblemError `invalid-parameter`, or `unsupported-rubric`, naming every parameter at fault
 */
export function readQuery<Query extends z.ZodObject>(query: Query, text: string): z.infer<Query> {
  // Most requests have none.
  if (text === "") return query.parse({});
  const known = new Set(Object.keys(query.shape));
  const given = [...new URLSearchParams(text)].filter(([name]) => known.has(name));
  const values = new Map(given);
  const repeated = [...values.keys()].filter((name) => given.filter(([other]) => other === name).length > 1);
  const parsed = query.safeParse(Object.fromEntries(values));
  const faults = [
    ...repeated.map((path) => ({ path, message: "is given more than once" })),
    ...(parsed.error?.issues.map(faultOf) ?? []),
  ];
  if (parsed.success && faults.length === 0) return parsed.data;
  throw refusal(faults);
}

function faultOf({ path, message }: z.core.$ZodIssue): Fault {
  const name = String(path[0] ?? "");
  return { path: name, message: name === "rubric" ? `must be one of ${PUBLIC_VERSIONS.join(", ")}` : message };
}

function refusal(errors: readonly Fault[]): ProblemError {
  const names = [...new Set(errors.map(({ path }) => path))].join(", ");
  // An unknown version has a type of its own, whatever else is wrong with the request (interface.md, "Errors").
  const rubric = errors.find(({ path, message }) => path === "rubric" && message.startsWith("must"));
  return rubric === undefined
    ? new ProblemError("invalid-parameter", `These parameters are malformed, out of range or repeated: ${names}.`, {
        errors: [...errors],
      })
    : new ProblemError("unsupported-rubric", `The public SHARE versions are ${PUBLIC_VERSIONS.join(" and ")}.`, {
        errors: [...errors],
      });
}

/** Whether a route's request asks for a page as it was rendered: exactly one of its query strings. */
export function isCanonical(route: Route, text: string): boolean {
  return route.pages.some(({ query }) => query === text);
}
