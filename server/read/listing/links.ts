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

/** The members of rows that were asked for: rows cut down to them, in the rows' own order. */
export class Fields {
  readonly #paths: readonly string[];

  /** `text`: paths of members, joined by commas, each of them known. */
  constructor(text: string) {
    this.#paths = text.split(",");
  }

  /** Whether a member is asked for, by its own path or by that of one it is in. */
  has(path: string): boolean {
    return this.#paths.some((asked) => path === asked || path.startsWith(`${asked}.`));
  }

  /** The row without what was not asked for; a member that is null hides none of its own. */
  of(row: object): object {
    return this.#kept(row, "");
  }

  #kept(value: object, before: string): object {
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
        const path = `${before}${name}`;
        if (this.has(path)) return [[name, member]];
        if (!this.#leadsOn(path)) return [];
        return [[name, typeof member === "object" && member !== null ? this.#kept(member, `${path}.`) : member]];
      }),
    );
  }

  /** Whether something in it is asked for. */
  #leadsOn(path: string): boolean {
    return this.#paths.some((asked) => asked.startsWith(`${path}.`));
  }
}
