/** Links from one page of a list to the others, as the value of a Link header (RFC 8288). */

import type { Route } from "../../../api-static/routes/route.ts";

/** What was asked of a list: which part of it, and by what else. */
type Asked = Readonly<Record<string, unknown>> & { readonly page: number; readonly limit: number };

/** `path`: as it is asked for. */
type Listed = Pick<Route, "path" | "query">;

/** No page has a greater number (interface.md, "Limits"). */
const LAST_PAGE = 10_000;

/** `total`: rows in all. First and last are always there; a page past the end leads back to the last. */
export function linksOf(route: Listed, query: Asked, total: number): string {
  const last = Math.min(Math.max(1, Math.ceil(total / query.limit)), LAST_PAGE);
  const pages = {
    first: 1,
    prev: query.page > 1 ? Math.min(query.page - 1, last) : null,
    next: query.page < last ? query.page + 1 : null,
    last,
  };
  return Object.entries(pages)
    .filter(([, page]) => page !== null)
    .map(([relation, page]) => `<${route.path}?${queryText(route, { ...query, page })}>; rel="${relation}"`)
    .join(", ");
}

/** The same of the answer to a cursor: where the list begins, and where it goes on; `next` null after its last row. */
export function cursorLinksOf(route: Listed, query: Asked, next: string | null): string {
  const { page: _page, ...kept } = query;
  const cursors = { first: "*", next };
  return Object.entries(cursors)
    .filter(([, cursor]) => cursor !== null)
    .map(([relation, cursor]) => `<${route.path}?${queryText(route, { ...kept, cursor })}>; rel="${relation}"`)
    .join(", ");
}

/** The parameters that are not at their default, and the page. */
function queryText(route: Listed, query: Readonly<Record<string, unknown>>): string {
  const defaults = route.query.parse({});
  const parameters = new URLSearchParams();
  for (const name of Object.keys(route.query.shape)) {
    const value = query[name];
    if (value !== undefined && (name === "page" || value !== defaults[name])) parameters.set(name, String(value));
  }
  return parameters.toString();
}
