/** Finds the route of a page from its path, such as "api/2.0/records/…". It is the reverse of api-static/routes/index.ts. */

import { ROUTES } from "../../api-static/routes/index.ts";
import { type PageFile, type PageSubject, pagePath, type Route } from "../../api-static/routes/route.ts";

/** For each kind of page, a regular expression of the key in its path, such as a record id. */
const KEYS: Readonly<Record<PageSubject, string>> = {
  record: "r[0-9a-f]{24}",
  researcher: "[A-Za-z0-9._~-]{1,160}",
  repository: "[A-Za-z0-9 ._~-]+",
  release: "[0-9][0-9a-z.-]*",
};

export interface PageAddress {
  readonly route: Route;
  readonly file: PageFile;
  readonly key: string;
}

/**
 * Returns every route to which a page with this path can belong, with the key. Exactly one means that the path is unambiguous.
 */
export function listPageAddresses(path: string): PageAddress[] {
  return TEMPLATES.flatMap(({ pattern, route, file }) => {
    const match = pattern.exec(path);
    const key = match?.groups?.key ?? "";
    return match !== null && pagePath(route, file, key) === path ? [{ route, file, key }] : [];
  });
}

/** One pattern for each page file, because several queries can request the same file. */
const TEMPLATES = ROUTES.flatMap((route) => {
  const files = route.pages.filter(({ path }, i, all) => all.findIndex((file) => file.path === path) === i);
  return files.map((file) => {
    const literal = file.path.replace(/[.]/g, "\\.");
    const text = literal.replace("{shard}", "[^/]{3}").replace("{key}", `(?<key>${KEYS[route.subject ?? "release"]})`);
    return { route, file, pattern: new RegExp(`^${text}$`) };
  });
});
