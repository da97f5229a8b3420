/** Finds the route of a page from its path: the reverse of api-static/routes/index.ts. */

import { ROUTES } from "../../api-static/routes/index.ts";
import { type PageFile, type PageSubject, pagePath, type Route } from "../../api-static/routes/route.ts";

/** The pattern of each subject's key in a path. */
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

/** Returns the possible meanings of a path. A path is explained if there is exactly one, apart from the query. */
export function listPageAddresses(path: string): PageAddress[] {
  return TEMPLATES.flatMap(({ pattern, route, file }) => {
    const match = pattern.exec(path);
    const key = match?.groups?.key ?? "";
    return match !== null && pagePath(route, file, key) === path ? [{ route, file, key }] : [];
  });
}

/** One pattern for each page file; several queries can request the same file. */
const TEMPLATES = ROUTES.flatMap((route) => {
  const files = route.pages.filter(({ path }, i, all) => all.findIndex((file) => file.path === path) === i);
  return files.map((file) => {
    const literal = file.path.replace(/[.]/g, "\\.");
    const text = literal.replace("{shard}", "[^/]{3}").replace("{key}", `(?<key>${KEYS[route.subject ?? "release"]})`);
    return { route, file, pattern: new RegExp(`^${text}$`) };
  });
});
