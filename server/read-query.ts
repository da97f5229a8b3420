/** The query of a read request: its known parameters, each once, and the public version it asks for. */

import type { Route } from "../api-static/routes.ts";
import { PUBLIC_VERSIONS, type PublicVersion, publicVersion } from "../schemas/rubric.ts";
import { knownParameters } from "./lists.ts";
import { ProblemError } from "./problem-error.ts";

export interface ReadQuery {
  readonly rubric: PublicVersion;
  /** Known parameters by name; unknown ones are ignored (decisions.md, "Requests"). */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Reads the text after `?`.
 * @throws ProblemError `invalid-parameter` naming every known parameter given twice, `unsupported-rubric`
 */
export function readQuery(route: Route, text: string): ReadQuery {
  const known = knownParameters(route);
  const given = [...new URLSearchParams(text)].filter(([name]) => known.includes(name));
  const parameters = new Map(given);
  const repeated = [...parameters.keys()].filter((name) => given.filter(([other]) => other === name).length > 1);
  if (repeated.length > 0) {
    throw new ProblemError("invalid-parameter", `Give each of these once: ${repeated.join(", ")}.`, {
      errors: repeated.map((path) => ({ path, message: "is given more than once" })),
    });
  }
  return { rubric: rubricOf(parameters), parameters };
}

function rubricOf(parameters: ReadonlyMap<string, string>): PublicVersion {
  const [preferred] = PUBLIC_VERSIONS;
  const parsed = publicVersion.safeParse(parameters.get("rubric") ?? preferred);
  if (parsed.success) return parsed.data;
  const supported = PUBLIC_VERSIONS.join(" and ");
  throw new ProblemError("unsupported-rubric", `The public SHARE versions are ${supported}.`, {
    errors: [{ path: "rubric", message: `must be one of ${PUBLIC_VERSIONS.join(", ")}` }],
  });
}
