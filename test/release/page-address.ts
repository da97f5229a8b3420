/** From the path of a page back to the route it answers: the reading of api-static/routes/index.ts backwards. */

import { ROUTES } from "../../api-static/routes/index.ts";
import { type PageFile, pagePath, type Route, type Subject } from "../../api-static/routes/route.ts";

/** What a key of each subject looks like in a path. */
const KEYS: Readonly<Record<Subject, string>> = {
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

/** The ways a path can be read; a page is explained where there is exactly one, up to the query that asks for it. */
export function addressesOf(path: string): PageAddress[] {
  return TEMPLATES.flatMap(({ pattern, route, file }) => {
    const match = pattern.exec(path);
    const key = match?.groups?.key ?? "";
    return match !== null && pagePath(route, file, key) === path ? [{ route, file, key }] : [];
  });
}

/** One pattern a page file; several queries can ask for the same file. */
const TEMPLATES = ROUTES.flatMap((route) => {
  const files = route.pages.filter(({ path }, i, all) => all.findIndex((file) => file.path === path) === i);
  return files.map((file) => {
    const literal = file.path.replace(/[.]/g, "\\.");
    const text = literal.replace("{shard}", "[^/]{3}").replace("{key}", `(?<key>${KEYS[route.subject ?? "release"]})`);
    return { route, file, pattern: new RegExp(`^${text}$`) };
  });
});
