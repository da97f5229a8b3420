/** Parameters that an address does not know: a look-up that is ignored would be answered with strangers' rows. */

import type { Route } from "../../api-static/routes/route.ts";
import { ignores } from "../../api-static/routes/route.ts";
import { nearest } from "../../pipeline/reading/identifiers.ts";

/** Names that other services give to what ours has under another, each with ours. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  q: "search",
  query: "search",
  text: "search",
  name: "search",
  title: "search",
  id: "identifier",
  per_page: "limit",
  pagesize: "limit",
  page_size: "limit",
  size: "limit",
  rows: "limit",
  offset: "page",
  start: "page",
  order: "sortOrder",
  direction: "sortOrder",
  version: "rubric",
  type: "recordKind",
  country: "countryCode",
  select: "fields",
  columns: "fields",
};

/** Longer names are cut where they are shown. */
const LONGEST_SHOWN = 60;

/** Names that are shown at once. */
const MOST_SHOWN = 20;

/** One fault a name that is neither known to the address nor ignored by it, naming the nearest known one. */
export function unknownParameters(
  names: ReadonlySet<string>,
  route: Pick<Route, "query" | "html" | "contentType">,
): { readonly path: string; readonly message: string }[] {
  const known = Object.keys(route.query.shape);
  const unknown = [...names].filter((name) => !known.includes(name) && !ignores(route, name));
  return unknown.slice(0, MOST_SHOWN).map((name) => {
    const shown = name.slice(0, LONGEST_SHOWN);
    const meant = meantBy(shown, known);
    const hint = meant === null ? "it takes none" : `the nearest it has is ${meant}`;
    return { path: shown, message: `is no parameter of this address; ${hint}` };
  });
}

function meantBy(name: string, known: readonly string[]): string | null {
  const elsewhere = Object.hasOwn(ELSEWHERE, name.toLowerCase()) ? ELSEWHERE[name.toLowerCase()] : undefined;
  return elsewhere !== undefined && known.includes(elsewhere) ? elsewhere : nearest(name, known);
}
