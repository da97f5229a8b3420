/** The files of a static site: which paths of the server become files, and under which names. */

import { hash } from "node:crypto";
import { PAGES, ROUTES, type RouteName } from "../../api-static/routes/index.ts";
import { HTML_TYPE, JSON_TYPE, type Route } from "../../api-static/routes/route.ts";

/** The routes that need only a release: views, and their feeds, badges, scripts and JSON. */
const STATIC_ROUTES: readonly RouteName[] = [
  "index",
  "datasets",
  "dataset",
  "datasets-csv",
  "researchers",
  "researcher",
  "repositories",
  "repository",
  "repairs-csv",
  "updates-jsonl",
  "organisation",
  "funders",
  "funder",
  "affiliations",
  "countries",
  "signals",
  "signal",
  "releases-page",
  "movement",
  "check",
  "check-script",
  "about",
  "help",
  "guide",
  "usage-terms",
  "privacy",
  "changelog",
  "docs-group",
  "releases-feed",
  "repository-feed",
  "organisation-feed",
  "funder-feed",
  "researcher-feed",
  "style",
  "font",
  "favicon",
  "logo-svg",
  "logo-png",
  "imprint",
  "dataset-badge",
  "dataset-badge-json",
  "repository-badge",
  "repository-badge-json",
  "researcher-badge",
  "researcher-badge-json",
  "records",
  "record",
  "authors",
  "author",
  "metrics",
  "rubrics",
  "rubric",
  "institutions",
  "geography",
];

const ROUTED = [...PAGES, ...ROUTES].filter(
  ({ name, method }) => method === "get" && (STATIC_ROUTES as readonly string[]).includes(name),
);

const FIXED = new Map(ROUTED.filter(({ key }) => key === null).map((route) => [route.path, route]));

/** Routes whose path has a key, each with the parts of the path before and after the key. */
const KEYED = ROUTED.flatMap((route) => {
  if (route.key === null) return [];
  const [before = "", after = ""] = route.path.split(`{${route.key.name}}`);
  return [{ route, before, after }];
});

function findRoute(path: string): Route | undefined {
  const keyed = KEYED.find(({ before, after }) => {
    const key = path.slice(before.length, path.length - after.length);
    return path.startsWith(before) && path.endsWith(after) && key !== "" && !key.includes("/");
  });
  return FIXED.get(path) ?? keyed?.route;
}

/**
 * The only part of the API reference that becomes a file, because it describes files. The other parts describe requests
 * to a server.
 */
const TABLES = "/docs/tables";

/** A part of the server's content that becomes a file. */
export interface StaticTarget {
  /** Path of the request, and its query if the file is a further page of a list. */
  readonly target: string;
  /** Path of the file below the folder of the site. No other target has the same path. */
  readonly file: string;
  readonly isView: boolean;
}

/**
 * Returns the file for path and query of a link; null if only a server can answer the link. A query can only be the
 * number of a page, because all other choices, such as filters, would need too many files.
 */
export function staticTarget(path: string, query: URLSearchParams): StaticTarget | null {
  const route = findRoute(path);
  if (route === undefined || (route.name === "docs-group" && path !== TABLES)) return null;
  const parameters = [...query].filter(([name, value]) => !isDefault(route, name, value));
  const [page, another] = parameters;
  if (another !== undefined) return null;
  if (page === undefined) return { target: path, file: makeFileName(route, path, ""), isView: isView(route) };
  if (page[0] !== "page" || !isView(route) || !/^[1-9]\d{0,5}$/.test(page[1])) return null;
  return { target: `${path}?page=${page[1]}`, file: makeFileName(route, path, page[1]), isView: true };
}

/** True for a view. The start page is one, although it responds to programs with JSON. */
function isView({ name, contentType }: Route): boolean {
  return contentType === HTML_TYPE || name === "index";
}

/** True for a parameter that does not change the response, such as `page=1`. `v` is the version of the style sheet. */
function isDefault({ name: route }: Route, name: string, value: string): boolean {
  return (
    (name === "page" && value === "1") || (name === "rubric" && value === "2.0") || (route === "style" && name === "v")
  );
}

/**
 * Returns the file name of a path. Static hosts derive the content type from its extension. Further pages of a list are
 * in the folder of the list's items, so that only views are at the top. Their names, such as `datasets/~2.html`, have a
 * `~`, which no name of an item contains.
 */
function makeFileName(route: Route, path: string, page: string): string {
  const name = path === "/" ? "index" : path.slice(1).split("/").map(safeName).join("/");
  const numbered = page === "" ? name : name.includes("/") ? `${name}~${page}` : `${name}/~${page}`;
  const extension = isView(route) ? ".html" : route.contentType === JSON_TYPE ? ".json" : "";
  return numbered.endsWith(extension) ? numbered : `${numbered}${extension}`;
}

/** Names of the files in the folder of a DOI. */
const DOI_FILES: readonly string[] = ["badge.svg", "badge.json", "dataset.html"];

/**
 * Returns the folder of a DOI, such as `dois/10.5072/a=28b=29` for `10.5072/A(B)`. A landing page can derive it: the
 * DOI is in lower case, and signs other than letters, digits, `.`, `_` and `-` become `=` and their hexadecimal bytes.
 * A part that would be empty or a file of another DOI begins with `=`.
 */
export function doiFolder(doi: string): string {
  const parts = doi
    .toLowerCase()
    .toWellFormed()
    .split("/")
    .map((part) => safeName(encodeURIComponent(part)))
    .map((name) => (name === "" || DOI_FILES.includes(name) ? `=${name}` : name));
  return `dois/${parts.join("/")}`;
}

/** Longest name of a file in characters. File systems allow 255 bytes. */
const MAX_NAME_LENGTH = 150;

/**
 * Returns a name that all hosts and file systems read alike. Hosts decode `%` in a path differently, so an encoded
 * character has `=` instead. A long name is truncated and ends in its digest.
 */
function safeName(segment: string): string {
  const name = encodeURIComponent(decodeURIComponent(segment)).replace(/[%~'*!()]|^\./g, (sign) =>
    sign === "%" ? "=" : `=${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return name.length <= MAX_NAME_LENGTH
    ? name
    : `${name.slice(0, MAX_NAME_LENGTH - 17)}-${hash("sha256", name).slice(0, 16)}`;
}
