/** The request behind each example, as a command: `$SHARE` is the address of the server, without a slash at its end. */

import { readableJson } from "../html/json.ts";
import type { Route } from "../route.ts";
import { exampleOf } from "./examples.ts";

/** Queries of the examples, by route. */
const QUERIES: Readonly<Record<string, string>> = {
  records: "sortBy=score&sortOrder=desc&limit=2",
  authors: "sortBy=sIndex&sortOrder=desc&limit=2",
  institutions: "limit=2",
  geography: "limit=2",
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
  if (route.method === "get") return `curl ${route.name === "release-file" ? "-O " : ""}${address}`;
  const body = readableJson(exampleOf(`${route.name} body`));
  return `curl ${address} \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`;
}
