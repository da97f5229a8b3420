/** Rows of the tables in schemas/public/tables.ts as DuckDB returns them. Means are text with two decimals. */

import type { Evidence } from "../../schemas/public/evidence.ts";
import {
  type DetailColumn,
  type ListedColumn,
  type PagePart,
  type ShownColumn,
  shownIn,
  type ValueOf,
} from "../../schemas/public/record-columns.ts";
import type { RECORD_TABLES, TableRow } from "../../schemas/public/tables.ts";

type RecordRow = TableRow<typeof RECORD_TABLES.record>;

export type RecordData = Pick<RecordRow, DetailColumn>;

/** The total of a score, and its points in each of the five buckets. */
export interface Points {
  readonly total: number;
  readonly s: number;
  readonly h: number;
  readonly a: number;
  readonly r: number;
  readonly e: number;
}

interface MaskData {
  readonly supported_mask: number;
  readonly evaluable_mask: number;
  readonly passed_mask: number;
  readonly source_missing_mask: number;
  readonly failed_mask: number;
}

/** Points of a score. All are null if too few signals could be judged. */
type PointsOrNone = Points | { readonly [column in keyof Points]: null };

export type ScoreData = MaskData & PointsOrNone;

export type ListedScore = Pick<MaskData, "supported_mask" | "evaluable_mask"> & PointsOrNone;

export type ListedRecord = Pick<RecordRow, ListedColumn>;

export interface AuthorData {
  readonly name: string;
  readonly affiliation: string | null;
  readonly orcid: string | null;
  readonly researcher_id: string | null;
  readonly slug: string | null;
}

export interface RecordBundle {
  readonly record: RecordData;
  /** Evidence of the record; null if the record could not be read. */
  readonly evidence: Evidence | null;
  readonly authors: readonly AuthorData[];
  readonly facets: readonly { readonly kind: string; readonly value: string }[];
  readonly aliases: readonly { readonly alias_id: string; readonly alias_identifier: string }[];
  /** The values behind the evidence of the record; null if the release has no table of values. */
  readonly values: readonly ValueData[] | null;
}

export type ValueData = Pick<TableRow<typeof RECORD_TABLES.value>, "evidence" | "value" | "counts" | "found_in">;

/** A mean as decimal text (`54.20`), or null. */
export type Mean = string | null;

export interface MeanColumns {
  readonly mean_score: Mean;
  readonly mean_s: Mean;
  readonly mean_h: Mean;
  readonly mean_a: Mean;
  readonly mean_r: Mean;
  readonly mean_e: Mean;
  readonly mean_cap: Mean;
  readonly passed_of_evaluable: Mean;
}

export interface ResearcherData extends MeanColumns {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly affiliation: string | null;
  readonly orcid: string | null;
  readonly identity_basis: string;
  readonly s_index: number;
  readonly s_impact: number;
  readonly cited_known: number;
  readonly cited_datasets: number;
  readonly dataset_count: number;
  readonly max_score: number;
  readonly s_index_median: Mean;
  readonly data_date: string | null;
}

/** Columns d0 to d10: the number of scored records in each score range. */
export type DistributionData = { readonly [range: `d${number}`]: number };

/** Columns t0, t4 … t100: the number of scored records with each total. */
export type TotalsData = { readonly [total: `t${number}`]: number };

export interface MetricsData extends MeanColumns, DistributionData, TotalsData {
  readonly total_records: number;
  readonly scored_records: number;
  readonly insufficient_records: number;
  readonly total_authors: number;
  readonly authors_orcid: number;
  readonly authors_name_affiliation: number;
  readonly authors_name: number;
  readonly repository_count: number;
  readonly median_score: Mean;
  readonly pct_above_70: Mean;
  readonly mean_observed_use: Mean;
  readonly mean_s_index: Mean;
  readonly max_s_index: number | null;
  readonly s_index_median: Mean;
}

/** Metrics of one repository label. The label is '' for records without a repository. */
export interface RepositoryData extends TotalsData {
  readonly repository: string;
  readonly record_count: number;
  readonly scored_count: number;
  readonly mean_score: Mean;
  readonly mean_cap: Mean;
  readonly passed_of_evaluable: Mean;
}

/** Metrics of the records under one repository label that come from one source. */
export interface RepositorySourceData extends RepositoryData {
  readonly source: string;
}

interface PlaceData extends MeanColumns, DistributionData, TotalsData {
  readonly record_count: number;
  readonly scored_count: number;
}

export interface InstitutionData extends PlaceData {
  readonly id: string;
  readonly label: string;
  readonly country_code: string | null;
  readonly author_count: number;
}

export interface CountryData extends PlaceData {
  readonly country_code: string;
  readonly institution_count: number;
}

type Columns<Column extends ShownColumn<PagePart>> = { readonly [C in Column as C["name"]]: ValueOf<C["type"]> | null };
type Members<Column extends ShownColumn<PagePart>> = {
  readonly [C in Column as C["shown"]["as"]]: ValueOf<C["type"]> | null;
};

/** Returns the fields of a part of the page, in the order of the columns. */
export function shownMembers<Part extends PagePart>(
  part: Part,
  row: Columns<ShownColumn<Part>>,
): Members<ShownColumn<Part>> {
  const cells: Readonly<Record<string, string | number | boolean | null>> = row;
  const members: Record<string, string | number | boolean | null> = {};
  for (const { name, shown } of shownIn(part)) members[shown.as] = cells[name] ?? null;
  return members as Members<ShownColumn<Part>>;
}

/** The text in place of the name of a researcher who opted out. */
export const WITHHELD_NAME = "withheld";

/**
 * Returns the creators, but without name, affiliation and ORCID iD for those for whom `isWithheld` returns true; their name
 * becomes `withheld`. `isWithheld` gets the researcher's id and the position of the creator.
 */
export function withholding<Author extends object>(
  authors: readonly Author[],
  researcherIds: readonly (string | null)[],
  isWithheld: (researcherId: string, place: number) => boolean,
) {
  return authors.map((author, i) => {
    const id = researcherIds[i] ?? null;
    return id === null || !isWithheld(id, i)
      ? author
      : { ...author, name: WITHHELD_NAME, affiliation: null, orcid: null };
  });
}
