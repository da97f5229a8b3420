/** The parameters lists take, and which of a list's pages a query means (interface.md, "Shared list query parameters"). */

import { DEFAULT_LIMITS } from "../api-static/list.ts";
import type { PageFile, Route } from "../api-static/routes.ts";
import { ProblemError } from "./problem-error.ts";
import type { ReadQuery } from "./read-query.ts";

interface ListParameters {
  /** Rows a page has unless asked otherwise. */
  readonly limit: number;
  /** What the list is ordered by unless asked otherwise. */
  readonly sortBy: string;
  /** Other names of an order that has a page. */
  readonly sameOrder: Readonly<Record<string, string>>;
  /** Every parameter of the list besides `rubric`. */
  readonly names: readonly string[];
}

const PAGING = ["page", "limit", "sortBy", "sortOrder"];

const LISTS: Readonly<Record<string, ListParameters>> = {
  records: {
    limit: DEFAULT_LIMITS.records,
    sortBy: "id",
    sameOrder: { shareScore: "score" },
    names: [
      ...PAGING,
      "search",
      "identifier",
      "repository",
      "recordKind",
      "disease",
      "ageGroup",
      "dataType",
      "accessStatus",
      "minScore",
      "maxScore",
      "minSupportedChecks",
    ],
  },
  authors: {
    limit: DEFAULT_LIMITS.authors,
    sortBy: "name",
    sameOrder: {},
    names: [...PAGING, "search", "minSIndex", "minDatasets"],
  },
  institutions: {
    limit: DEFAULT_LIMITS.institutions,
    sortBy: "label",
    sameOrder: {},
    names: [...PAGING, "search", "countryCode"],
  },
  geography: { limit: DEFAULT_LIMITS.geography, sortBy: "countryCode", sameOrder: {}, names: PAGING },
};

/** The parameters a route knows; all others are ignored. */
export function knownParameters(route: Route): readonly string[] {
  return [...(route.versioned ? ["rubric"] : []), ...(LISTS[route.name]?.names ?? [])];
}

/**
 * The page that answers a list's query: one of its canonical requests, or parameters that come to the same.
 * @throws ProblemError `query-not-available`
 */
export function listPageOf(route: Route, query: ReadQuery): PageFile {
  const list = LISTS[route.name];
  if (list === undefined) throw new Error(`route ${route.name} is no list`);
  const order = orderOf(list, query.parameters);
  const page = route.pages.find(
    (file) =>
      file.version === query.rubric && orderOf(list, new Map(new URLSearchParams(file.query).entries())) === order,
  );
  if (page === undefined || !isFirstPage(list, query.parameters)) {
    throw new ProblemError(
      "query-not-available",
      `This service answers ${route.path} for its first page of ${list.limit} rows: ${canonicalQueries(route)}.`,
    );
  }
  return page;
}

function orderOf(list: ListParameters, parameters: ReadonlyMap<string, string>): string {
  const by = parameters.get("sortBy") ?? list.sortBy;
  return `${list.sameOrder[by] ?? by} ${parameters.get("sortOrder") ?? "asc"}`;
}

/** Whether everything besides the order and the rubric says no more than its default does. */
function isFirstPage(list: ListParameters, parameters: ReadonlyMap<string, string>): boolean {
  for (const [name, value] of parameters) {
    if (name === "page" && !isNumber(value, 1)) return false;
    if (name === "limit" && !isNumber(value, list.limit)) return false;
    // A search without a letter or digit is no filter (decisions.md, `search`).
    if (name === "search" && /[\p{L}\p{N}\p{M}]/u.test(value)) return false;
    if (![...PAGING, "search", "rubric"].includes(name)) return false;
  }
  return true;
}

function isNumber(text: string, wanted: number): boolean {
  return /^\d{1,9}$/.test(text) && Number(text) === wanted;
}

function canonicalQueries(route: Route): string {
  const queries = route.pages.map(({ query }) => (query === "" ? route.path : `${route.path}?${query}`));
  return [...new Set(queries)].join(", ");
}
