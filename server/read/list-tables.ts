/** The four lists: their tables, and the column of each sort name. */

import { z } from "zod";
import { LISTED_RECORD } from "../../pipeline/pages/listings.ts";
import type { SORTS } from "../../schemas/public/api/queries.ts";
import { type PublicVersion, publicVersion } from "../../schemas/public/rubric.ts";

export const LIST_NAMES = ["records", "authors", "institutions", "geography"] as const;
export type ListName = (typeof LIST_NAMES)[number];

export type SearchedList = Exclude<ListName, "geography">;

export type AggregateName = Exclude<ListName, "records">;

/** Columns that are the same under every version. */
export const SHARED_COLUMNS: Readonly<Record<ListName, readonly string[]>> = {
  records: LISTED_RECORD,
  authors: ["id", "slug", "name", "affiliation", "orcid", "identity_basis"],
  institutions: ["id", "label", "country_code"],
  geography: ["country_code"],
};

/** Column by sort name: integers in the order of the field; null if no row has the field. */
export type SortColumns = Readonly<Record<string, string | null>>;

/**
 * Returns the column of every sort name; `position` is the order by ID. Each version has one of the two fields for the
 * bucket R (decisions.md, "Rows"). Under the other name, all rows are equal.
 */
export function sortColumns(list: ListName, version: PublicVersion): SortColumns {
  return {
    records: {
      id: "position",
      ...scoreColumns({ total: "total", s: "s", h: "h", a: "a", r: "r", e: "e" }, version),
      shareOfCap: "share_of_cap",
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

/** Returns the columns of the total and the buckets under all their names. */
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

/** Converts a version to a suffix of a table name. */
const suffix = (version: PublicVersion) => version.replace(".", "_");

/**
 * Names of the prepared tables. The .sql files that create some of them repeat the names. `narrow` and `wide` are two
 * database files, see prepare.ts.
 */
export const TABLES = {
  /** One row per item: columns to filter and order by. */
  listed: (list: ListName, version: PublicVersion) => `narrow.${list}_${suffix(version)}`,
  /** One row per item of any version: columns that do not depend on the version. */
  texts: (list: ListName) => `wide.${list}`,
  /** One row per item: columns that depend on the version. */
  figures: (list: ListName, version: PublicVersion) => `wide.${list}_${suffix(version)}`,
  /** Terms of the search index, and the positions of each. */
  terms: (list: ListName) => `narrow.${list}_term`,
  postings: (list: ListName) => `narrow.${list}_posting`,
  /** Folded texts in scripts without spaces between words. */
  unspaced: (list: ListName) => `narrow.${list}_unspaced`,
  dois: "narrow.doi",
  facets: "narrow.facet",
  labels: "narrow.label",
  aliases: "narrow.alias",
  dates: "narrow.date",
  /** Positions by position of the institution, with the researcher; by ROR id, funder, award, and position of the researcher. */
  affiliations: "narrow.affiliation",
  organisations: "narrow.organisation",
  funders: "narrow.funder",
  funderNames: "narrow.funder_name",
  awards: "narrow.award",
  authors: "narrow.author",
} as const;

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
