/** The way from a request to what its row in the table of routes says is asked: the one place that reads keys, queries and bodies. */

import { routeNamed } from "../../api-static/routes/index.ts";
import type { PathKey, Route } from "../../api-static/routes/route.ts";
import { ProblemError } from "./answering/problem-error.ts";
import type { Asked, HandledRouteName } from "./handler.ts";
import { readBody } from "./reading/read-body.ts";
import { readQuery } from "./reading/read-query.ts";
import type { ReadRequest } from "./reading/read-request.ts";

/**
 * What reads requests by the row of a route, which is looked up once.
 * @throws ProblemError `invalid-parameter`, `invalid-body`, or what the row answers an unknown key with: the reader, of a request
 */
export function askedReader<Name extends HandledRouteName>(name: Name): (request: ReadRequest) => Asked<Name> {
  const route = routeNamed(name);
  return (request) => {
    const asked = {
      request,
      key: keyOf(route, request),
      query: readQuery(route, request.query),
      body: route.body === null ? null : readBody(route.body, request.body),
      signed: request.signed,
    };
    // The table says of each row what its schemas give, which a loop over rows cannot know.
    return asked as Asked<Name>;
  };
}

function keyOf({ key }: Route, { parameters }: ReadRequest): string | null {
  if (key === null) return null;
  const value = key.schema.safeParse(parameters[key.name] ?? "");
  if (!value.success) throw unknownKey(key);
  return value.data;
}

/** The same problem for a malformed key and for a key that names nothing. */
export function unknownKey({ unknown }: PathKey): ProblemError {
  return new ProblemError(unknown.problem, unknown.detail);
}
