/** The rows pages are made from, as DuckDB gives them: the tables of schemas/tables.ts, means as text with two decimals. */

import type { Evidence } from "../schemas/evidence.ts";

export interface RecordData {
  readonly id: string;
  readonly source: string;
  readonly source_id: string;
  /** `ok`, or `failed` for a record that was identified but could not be read. */
  readonly status: string;
  readonly retrieved_at: string | null;
  readonly payload_digest: string;
  readonly doi: string | null;
  readonly repository: string | null;
  readonly title: string | null;
  readonly pub_date: string | null;
  readonly url: string | null;
  readonly record_kind: string | null;
  readonly access_status: string | null;
  readonly license: string | null;
  readonly version: string | null;
  readonly views: number | null;
  readonly downloads: number | null;
  readonly citations: number | null;
  readonly derivatives: number | null;
  readonly mentions: number | null;
}

export interface ScoreData {
  readonly total: number;
  readonly s: number;
  readonly h: number;
  readonly a: number;
  readonly r: number;
  readonly e: number;
  readonly supported_mask: number;
  readonly evaluable_mask: number;
  readonly passed_mask: number;
  readonly source_missing_mask: number;
  readonly failed_mask: number;
}

/** What a record row of a list needs. */
export type ListedRecord = Pick<RecordData, "id" | "doi" | "repository" | "title" | "pub_date" | "status">;
export type ListedScore = Pick<ScoreData, "total" | "s" | "h" | "a" | "r" | "e">;

export interface AuthorData {
  readonly name: string;
  readonly affiliation: string | null;
  readonly orcid: string | null;
  readonly researcher_id: string | null;
  readonly slug: string | null;
}

/** Everything the pages of one record show. */
export interface RecordBundle {
  readonly record: RecordData;
  /** Null for a failed record. */
  readonly evidence: Evidence | null;
  readonly authors: readonly AuthorData[];
  readonly facets: readonly { readonly kind: string; readonly value: string }[];
  readonly aliases: readonly { readonly alias_id: string; readonly alias_identifier: string }[];
}

/** A mean as decimal text (`54.20`), or null. */
export type Mean = string | null;

export interface MeansData {
  readonly mean_score: Mean;
  readonly mean_s: Mean;
  readonly mean_h: Mean;
  readonly mean_a: Mean;
  readonly mean_r: Mean;
  readonly mean_e: Mean;
}

export interface ResearcherData extends MeansData {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly affiliation: string | null;
  readonly orcid: string | null;
  readonly identity_basis: string;
  readonly s_index: number;
  readonly s_impact: number;
  readonly dataset_count: number;
  readonly max_score: number;
  readonly tier: string;
  readonly quadrant: string;
}

/** d0 … d10: scored records by range. */
export type DistributionData = { readonly [range: `d${number}`]: number };

export interface MetricsData extends MeansData, DistributionData {
  readonly total_records: number;
  readonly scored_records: number;
  readonly total_authors: number;
  readonly repository_count: number;
  readonly median_score: Mean;
  readonly pct_above_70: Mean;
  readonly mean_observed_use: Mean;
  readonly mean_s_index: Mean;
  readonly max_s_index: number | null;
}

export interface RepositoryData {
  readonly repository: string;
  readonly record_count: number;
  readonly scored_count: number;
  readonly mean_score: Mean;
}

interface PlaceData extends MeansData, DistributionData {
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
