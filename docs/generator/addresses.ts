/** The addresses of the service: those with pages, those without, and the problems any of them can answer with. */

import { PAGES, ROUTES } from "../../api-static/routes/index.ts";
import type { PageFile, Route } from "../../api-static/routes/route.ts";
import { PROBLEMS } from "../../schemas/public/problem.ts";
import { blocks, code, table } from "./markdown.ts";

/** A summary of the routes, then the page files of each by canonical query. */
export async function addresses(): Promise<string> {
  const rows = ROUTES.filter(({ pages }) => pages.length > 0).map((route) => [
    code(route.path),
    route.summary,
    route.subject ?? "–",
    route.contentType.split(";")[0] ?? "",
    code(route.cache),
  ]);
  return blocks(
    table(["path", "what", "subject", "type", "Cache-Control"], rows),
    table(["path", "query", "page file in a tree"], ROUTES.flatMap(pagesOf)),
  );
}

/** One row a page file; the queries that come to it together. */
function pagesOf(route: Route): string[][] {
  const byFile = new Map<string, PageFile[]>();
  for (const page of route.pages) byFile.set(page.path, [...(byFile.get(page.path) ?? []), page]);
  return [...byFile].map(([file, pages]) => [
    code(route.path),
    pages.map(({ query }) => (query === "" ? "none" : code(`?${query}`))).join(", "),
    code(file),
  ]);
}

/** What the server answers beside them. */
export async function addedAddresses(): Promise<string> {
  return table(
    ["method", "path", "what", "type", "Cache-Control"],
    ROUTES.filter(({ pages }) => pages.length === 0).map((route) => [
      route.method.toUpperCase(),
      code(route.path),
      route.summary,
      route.contentType.split(";")[0] ?? "",
      code(route.cache),
    ]),
  );
}

/** The pages for people, each with the address that answers programs the same. */
export async function peoplesPages(): Promise<string> {
  const pathOf = (name: string) => ROUTES.find((route) => route.name === name)?.path ?? "";
  return table(
    ["method", "path", "what", "twin for programs", "Cache-Control"],
    PAGES.map(({ method, path, summary, twin, cache }) => [
      method.toUpperCase(),
      code(path),
      summary,
      twin === null ? "–" : code(pathOf(twin)),
      code(cache),
    ]),
  );
}

/** The problem documents there are. */
export async function problems(): Promise<string> {
  return table(
    ["type", "status", "title"],
    Object.entries(PROBLEMS).map(([type, { status, title }]) => [code(`/problems/${type}`), String(status), title]),
  );
}
