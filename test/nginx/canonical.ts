/** Every canonical address of a release, read off its manifest and the one list of addresses. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pagePath, type Route } from "../../api-static/routes/route.ts";
import { manifestLine } from "../../schemas/public/release.ts";
import { addressesOf } from "../release/page-address.ts";

export interface Canonical {
  readonly target: string;
  readonly route: Route;
  /** The page file's path below the release folder. */
  readonly path: string;
}

/** `folder`: of the release. A page that several queries ask for comes once for each. */
export function canonicalAddresses(folder: string): Canonical[] {
  const lines = readFileSync(join(folder, "manifest.ndjson"), "utf8").trimEnd().split("\n");
  return lines.flatMap((line) => {
    const { path } = manifestLine.parse(JSON.parse(line));
    return addressesOf(path).flatMap(({ route, key }) =>
      route.pages
        .filter((page) => pagePath(route, page, key) === path)
        .map(({ query }) => ({ target: targetOf(route, key, query), route, path })),
    );
  });
}

function targetOf(route: Route, key: string, query: string): string {
  const path = route.path.replace(/\{\w+\}/, () => encodeURIComponent(key));
  return query === "" ? path : `${path}?${query}`;
}
