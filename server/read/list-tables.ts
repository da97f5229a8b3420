/** The four lists: their tables, and the columns that each sort name and filter of the API stands for. */

import { z } from "zod";
import { LISTED_RECORD } from "../../pipeline/pages/listings.ts";
import type { SORTS } from "../../schemas/public/api/queries.ts";
import { type PublicVersion, publicVersion } from "../../schemas/public/rubric.ts";

export const LIST_NAMES = ["records", "authors", "institutions", "geography"] as const;
export type ListName = (typeof LIST_NAMES)[number];

/** Lists that can be searched. */
export type SearchedList = Exclude<ListName, "geography">;

/** Lists of what records come to. */
export type AggregateName = Exclude<ListName, "records">;

/** Columns of rows that are the same under every version. */
export const SHARED_COLUMNS: Readonly<Record<ListName, readonly string[]>> = {
  records: LISTED_RECORD,
  authors: ["id", "slug", "name", "affiliation", "orcid", "identity_basis"],
  institutions: ["id", "label", "country_code"],
  geography: ["country_code"],
};

/** A sort column: a whole number whose order is the field's, or null where no row has the field. */
export type SortColumns = Readonly<Record<string, string | null>>;

/**
 * Columns to order by, for every sort name of a list; the position is the order by id. A version has one of the two
 * fields that can carry R (decisions.md, "Rows"): by the other, all rows are equal.
 */
export function sortColumns(list: ListName, version: PublicVersion): SortColumns {
  return {
    records: {
      id: "position",
      ...scoreColumns({ total: "total", s: "s", h: "h", a: "a", r: "r", e: "e" }, version),
      pubDate: "pub_date",
      title: "title",
    } satisfies Record<(typeof SORTS.records)[number], string | null>,
    authors: {
      name: "text",
      sIndex: "s_index",
      sImpact: "s_impact",
      datasetCount: "dataset_count",
      avgScore: "mean_score",
      maxScore: "max_score",
      meanCap: "mean_cap",
      passedOfEvaluable: "passed_of_evaluable",
      ...scoreColumns(
        { total: "mean_score", s: "mean_s", h: "mean_h", a: "mean_a", r: "mean_r", e: "mean_e" },
        version,
      ),
    } satisfies Record<(typeof SORTS.authors)[number], string | null>,
    institutions: {
      label: "text",
      recordCount: "record_count",
      authorCount: "author_count",
      meanScore: "mean_score",
    } satisfies Record<(typeof SORTS.institutions)[number], string>,
    geography: {
      countryCode: "position",
      recordCount: "record_count",
      meanScore: "mean_score",
    } satisfies Record<(typeof SORTS.geography)[number], string>,
  }[list];
}

/** Columns of the total and the buckets, by every name of theirs. */
function scoreColumns(of: Readonly<Record<"total" | "s" | "h" | "a" | "r" | "e", string>>, version: PublicVersion) {
  return {
    score: of.total,
    shareScore: of.total,
    S: of.s,
    H: of.h,
    A: of.a,
    R: of.r,
    E: of.e,
    stewardshipScore: of.s,
    harmonizationScore: of.h,
    accessScore: of.a,
    engagementScore: of.e,
    reuseScore: version === "1.0" ? of.r : null,
    reusabilityScore: version === "1.0" ? null : of.r,
  };
}

/** A version as part of a table's name. */
const suffix = (version: PublicVersion) => version.replace(".", "_");

/**
 * Names of the prepared tables, for all code; the .sql files beside, which make some of them, say them once more.
 * `narrow` and `wide` are two files of one database, see prepare.ts.
 */
export const TABLES = {
  /** One row a listed thing: what it is filtered and ordered by. */
  listed: (list: ListName, version: PublicVersion) => `narrow.${list}_${suffix(version)}`,
  /** One row a listed thing of any version: what its row shows whatever the version. */
  texts: (list: ListName) => `wide.${list}`,
  /** One row a listed thing: what its row shows of a version. */
  figures: (list: ListName, version: PublicVersion) => `wide.${list}_${suffix(version)}`,
  /** Terms of the search index, and their numbers of positions. */
  terms: (list: ListName) => `narrow.${list}_term`,
  postings: (list: ListName) => `narrow.${list}_posting`,
  /** Folded texts of what is written without spaces between words. */
  unspaced: (list: ListName) => `narrow.${list}_unspaced`,
  dois: "narrow.doi",
  facets: "narrow.facet",
  labels: "narrow.label",
  aliases: "narrow.alias",
} as const;

/** What the query schemas of all lists give; the filters of a list are among the other members. */
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
