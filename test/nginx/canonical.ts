/** Every canonical address of a release, read off its pages and the one list of addresses. */

import { pagePath, type Route } from "../../api-static/routes/route.ts";
import { addressesOf } from "../release/page-address.ts";
import { pagesIn } from "../support/release-pages.ts";

export interface Canonical {
  readonly target: string;
  readonly route: Route;
  /** The page file's path below the tree. */
  readonly path: string;
  readonly bytes: Buffer;
}

/** `folder`: of the release. A page that several queries ask for comes once for each. */
export async function canonicalAddresses(folder: string): Promise<Canonical[]> {
  return [...(await pagesIn(folder))].flatMap(([path, bytes]) =>
    addressesOf(path).flatMap(({ route, key }) =>
      route.pages
        .filter((page) => pagePath(route, page, key) === path)
        .map(({ query }) => ({ target: targetOf(route, key, query), route, path, bytes })),
    ),
  );
}

function targetOf(route: Route, key: string, query: string): string {
  const path = route.path.replace(/\{\w+\}/, () => encodeURIComponent(key));
  return query === "" ? path : `${path}?${query}`;
}
