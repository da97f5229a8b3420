/** Sections about endpoints with pages, endpoints without pages, views of the site, and types of problems. */

import { PAGES, ROUTES } from "../../api-static/routes/index.ts";
import type { Route } from "../../api-static/routes/route.ts";
import { PROBLEMS } from "../../schemas/public/problem.ts";
import { blocks, code, table } from "./markdown.ts";

/** Writes a table of the endpoints with pages, and a table of the queries for which each has a page. */
export async function endpointsWithPages(): Promise<string> {
  const rows = ROUTES.filter(({ pages }) => pages.length > 0).map((route) => [
    code(route.path),
    route.summary,
    route.subject ?? "–",
    route.contentType.split(";")[0] ?? "",
    code(route.cache),
  ]);
  return blocks(
    table(["path", "purpose", "subject", "type", "Cache-Control"], rows),
    table(["path", "queries with a page"], ROUTES.filter(({ pages }) => pages.length > 0).map(listQueries)),
  );
}

/** Returns a row with the path of a route and the queries for which it has a page. */
function listQueries({ path, pages }: Route): string[] {
  return [code(path), pages.map(({ query }) => (query === "" ? "none" : code(`?${query}`))).join(", ")];
}

/** Writes a table of the endpoints without pages. */
export async function otherEndpoints(): Promise<string> {
  return table(
    ["method", "path", "purpose", "type", "Cache-Control"],
    ROUTES.filter(({ pages }) => pages.length === 0).map((route) => [
      route.method.toUpperCase(),
      code(route.path),
      route.summary,
      route.contentType.split(";")[0] ?? "",
      code(route.cache),
    ]),
  );
}

/** Writes a table of the site's views, each with the endpoint that has the same data. */
export async function siteViews(): Promise<string> {
  const findPath = (name: string) => ROUTES.find((route) => route.name === name)?.path ?? "";
  return table(
    ["method", "path", "purpose", "endpoint with the same data", "Cache-Control"],
    PAGES.map(({ method, path, summary, twin, cache }) => [
      method.toUpperCase(),
      code(path),
      summary,
      twin === null ? "–" : code(findPath(twin)),
      code(cache),
    ]),
  );
}

/** Writes a table of the types of problem documents. */
export async function problems(): Promise<string> {
  return table(
    ["type", "status", "title"],
    Object.entries(PROBLEMS).map(([type, { status, title }]) => [code(`/problems/${type}`), String(status), title]),
  );
}
