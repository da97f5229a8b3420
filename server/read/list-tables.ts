/** Names and columns of the prepared tables from which the four lists are read. */

import { z } from "zod";
import { LISTED_RECORD } from "../../pipeline/pages/listings.ts";
import { LIST_NAMES, type ListName, ORDERS, type Order } from "../../schemas/public/api/lists.ts";
import { type PublicVersion, publicVersion } from "../../schemas/public/rubric.ts";
import { AGGREGATE_TABLES, type Table } from "../../schemas/public/tables.ts";

export type SearchedList = Exclude<ListName, "geography">;

export type AggregateName = Exclude<ListName, "records">;

/** Columns of each list whose values are the same under every version. */
export const SHARED_COLUMNS: Readonly<Record<ListName, readonly string[]>> = {
  records: LISTED_RECORD,
  authors: ["id", "slug", "name", "affiliation", "orcid", "identity_basis"],
  institutions: ["id", "label", "country_code"],
  geography: ["country_code"],
};

/**
 * The tables of a release with the figures of researchers, institutions and countries, each with the column of its ids.
 */
export const AGGREGATES = {
  authors: { table: AGGREGATE_TABLES.researcher, id: "id" },
  institutions: { table: AGGREGATE_TABLES.institution, id: "id" },
  geography: { table: AGGREGATE_TABLES.country, id: "country_code" },
} as const satisfies Readonly<Record<AggregateName, { readonly table: Table; readonly id: string }>>;

/** Columns by which records are ordered and whose values are the same under every version. */
const SHARED_ORDERS: readonly string[] = ["pub_date", "title", "relevance"];

/** Returns the order of a query; null if the column to sort by has no values under this version. */
export function orderBy(list: ListName, { rubric, sortBy }: Pick<ListQuery, "rubric" | "sortBy">): Order | null {
  const orders: Readonly<Record<string, Order>> = ORDERS[list];
  const order = orders[sortBy];
  if (order === undefined) throw new Error(`no order of the list ${list} is called ${sortBy}; report this`);
  return order.only === undefined || order.only === rubric ? order : null;
}

/** Converts a version to a suffix of a table name, such as `2_0`. */
const suffix = (version: PublicVersion) => version.replace(".", "_");

/**
 * Names of the prepared tables. Some of them are created by .sql files, which repeat the names. `narrow`, `sorted` and
 * `wide` are database files (prepared-tables.ts).
 */
export const TABLES = {
  /** One row for each item of a list: the columns by which the list is filtered and ordered. */
  listed: (list: ListName, version: PublicVersion) => `narrow.${list}_${suffix(version)}`,
  /**
   * One row for each item: the columns of one order, sorted by them, so that a query reads only the first rows that
   * match. Only the list of records is long enough to need such tables. Its order by position uses `listed`, which is
   * sorted by position.
   */
  ordered: (list: ListName, version: PublicVersion, { column }: Order) => {
    if (list !== "records" || column === "position") return TABLES.listed(list, version);
    return SHARED_ORDERS.includes(column)
      ? `sorted.records_by_${column}`
      : `sorted.records_${suffix(version)}_by_${column}`;
  },
  /** One row for each item in any version: the columns that do not depend on the version. */
  texts: (list: ListName) => `wide.${list}`,
  /** Terms of the search index. `postings` has the positions of the rows with each term. */
  terms: (list: ListName) => `narrow.${list}_term`,
  postings: (list: ListName) => `narrow.${list}_posting`,
  /** Folded texts that have words in scripts without spaces between words, such as Japanese. */
  unspaced: (list: ListName) => `narrow.${list}_unspaced`,
  dois: "narrow.doi",
  facets: "narrow.facet",
  labels: "narrow.label",
  aliases: "narrow.alias",
  dates: "narrow.date",
  /**
   * Tables with the positions of records by ROR id, funder, award number, or position of the researcher. `affiliations`
   * is by position of the institution, and also names the researcher. `funderNames` has no positions, but the spelling
   * of each name and its number of datasets.
   */
  affiliations: "narrow.affiliation",
  organisations: "narrow.organisation",
  funders: "narrow.funder",
  funderNames: "narrow.funder_name",
  awards: "narrow.award",
  authors: "narrow.author",
} as const;

/** The last character in UTF-8 order. A prefix with it appended sorts after every text that begins with the prefix. */
export const END = "\u{10ffff}";

/** The fields that all list queries share; the filters are additional fields. */
export const listQuery = z.looseObject({
  rubric: publicVersion,
  page: z.int(),
  limit: z.int(),
  sortBy: z.string(),
  sortOrder: z.enum(["asc", "desc"]),
  search: z.string().optional(),
  cursor: z.string().optional(),
  fields: z.string().optional(),
});
export type ListQuery = z.infer<typeof listQuery>;

export const listName = z.enum(LIST_NAMES);
