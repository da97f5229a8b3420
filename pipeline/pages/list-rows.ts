/** Rows of lists from cells of tables: columns by name, and the row of the API that they make. Pages and queries share them. */

import { countryRow, institutionRow } from "../../api-static/pages/attribution.ts";
import { recordRow } from "../../api-static/pages/record.ts";
import { researcherRow } from "../../api-static/pages/researcher.ts";
import type {
  CountryData,
  InstitutionData,
  ListedRecord,
  ListedScore,
  ResearcherData,
} from "../../api-static/pages/rows.ts";
import type { CountryRow, InstitutionRow } from "../../schemas/public/api/attribution.ts";
import type { RecordRow } from "../../schemas/public/api/record.ts";
import type { ResearcherRow } from "../../schemas/public/api/researcher.ts";
import { LISTED_COLUMNS } from "../../schemas/public/record-columns.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { AGGREGATE_TABLES } from "../../schemas/public/tables.ts";
import type { Cell } from "../engine/open.ts";
import type { Countries } from "../vocabularies/countries.ts";
import { objectOf } from "./columns.ts";

export const RESEARCHER = [
  "id",
  "slug",
  "name",
  "affiliation",
  "orcid",
  "identity_basis",
  "s_index",
  "s_impact",
  "cited_known",
  "cited_datasets",
  "dataset_count",
  "max_score",
  "mean_score",
  "mean_s",
  "mean_h",
  "mean_a",
  "mean_r",
  "mean_e",
  "mean_cap",
  "passed_of_evaluable",
  "s_index_median",
  "data_date",
  "tier",
  "quadrant",
] as const satisfies readonly (keyof ResearcherData)[];

export const LISTED_RECORD = LISTED_COLUMNS satisfies readonly (keyof ListedRecord)[];
export const LISTED_SCORE = ["total", "s", "h", "a", "r", "e"] as const satisfies readonly (keyof ListedScore)[];

export const INSTITUTION = columnsOf<InstitutionData>(AGGREGATE_TABLES.institution.columns);
export const COUNTRY = columnsOf<CountryData>(AGGREGATE_TABLES.country.columns);

/** The page's columns of a table; `rubric` is the version asked for. */
export function columnsOf<T>(columns: Readonly<Record<string, unknown>>): (keyof T & string)[] {
  return Object.keys(columns).filter((name) => name !== "rubric") as (keyof T & string)[];
}

/** LISTED_RECORD from `offset` on, and after it LISTED_SCORE, null where the record has no total. */
export function recordRowOf(cells: readonly Cell[], version: PublicVersion, offset = 0): RecordRow {
  const at = offset + LISTED_RECORD.length;
  const score = cells[at] === null ? null : objectOf<ListedScore>(LISTED_SCORE, cells, at);
  return recordRow(objectOf<ListedRecord>(LISTED_RECORD, cells, offset), score, version);
}

export function researcherRowOf(cells: readonly Cell[], version: PublicVersion): ResearcherRow {
  return researcherRow(objectOf<ResearcherData>(RESEARCHER, cells), version);
}

export function institutionRowOf(cells: readonly Cell[]): InstitutionRow {
  return institutionRow(objectOf<InstitutionData>(INSTITUTION, cells));
}

export function countryRowOf(cells: readonly Cell[], countries: Countries): CountryRow {
  const row = objectOf<CountryData>(COUNTRY, cells);
  return countryRow(row, countries.nameOf(row.country_code) ?? row.country_code);
}
