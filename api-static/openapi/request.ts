/** The request behind each example, as a command: `$SHARE` is the address of the server, without a slash at its end. */

import type { Route } from "../routes/route.ts";
import { exampleOf } from "./examples.ts";
import { readableJson } from "./readable-json.ts";

/** Queries of the examples, by route. */
const QUERIES: Readonly<Record<string, string>> = {
  draft: "source=zenodo",
  records: "sortBy=score&sortOrder=desc&limit=2",
  authors: "sortBy=sIndex&sortOrder=desc&limit=2",
  institutions: "limit=2",
  geography: "limit=2",
  "release-changes": "kind=moved&limit=2",
};

/** Path and query of the example of a route. */
export function exampleTarget(route: Route): string {
  const path = route.path
    .replace(/\{file\}/, "manifest.ndjson")
    .replace(/\{\w+\}/, encodeURIComponent(route.key?.example ?? ""));
  const query = QUERIES[route.name];
  return query === undefined ? path : `${path}?${query}`;
}

/** The command that sends it. */
export function exampleCommand(route: Route): string {
  const address = `"$SHARE${exampleTarget(route)}"`;
  if (route.method === "get") return [`curl ${route.ranges ? "-O " : ""}${address}`, ...cookie(route)].join(" \\\n  ");
  return [`curl ${address}`, ...changing(route), ...sent(route)].join(" \\\n  ");
}

/** The method of a request that changes something, and its session. */
function changing(route: Route): string[] {
  const method = route.method === "delete" ? ["-X DELETE"] : route.body === null ? ["-X POST"] : [];
  return [...method, ...cookie(route)];
}

/** `$SESSION` is the value of the cookie that signing in sets. */
function cookie({ session }: Route): string[] {
  return session ? [`-H "Cookie: __Host-share_session=$SESSION"`] : [];
}

function sent(route: Route): string[] {
  if (route.body === null) return [];
  return ["-H 'Content-Type: application/json'", `-d '${readableJson(exampleOf(`${route.name} body`))}'`];
}
