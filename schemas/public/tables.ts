/**
 * Lists the tables between stages and in a release, with their grain, key and columns. `create table` statements, row
 * digests and documentation are derived from this list.
 */

import { EVIDENCE, type EvidenceColumns } from "./evidence.ts";
import type { ColumnType, RowOf } from "./record-columns.ts";
import { alwaysIn, columnsIn } from "./record-columns.ts";

export type { ColumnType } from "./record-columns.ts";

export interface Table {
  readonly name: string;
  /** Describes one row, for example "one record of a release". */
  readonly grain: string;
  /** Name of the table in data/ of a release, if it differs from `name`. */
  readonly published?: string;
  /** Columns that identify a row. The rows are sorted by them. */
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** Columns that only releases before format 3 have. They follow `columns`. */
  readonly former?: Readonly<Record<string, ColumnType>>;
  /** Columns that are never null. The columns of the key are never null either. */
  readonly always?: readonly string[];
}

export type TableRow<T extends Table> = RowOf<
  T["columns"],
  T["key"][number] | (T extends { readonly always: readonly (infer Name extends string)[] } ? Name : never)
>;

export function publishedName({ name, published = name }: Table): string {
  return published;
}

const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  text: "varchar",
  int: "integer",
  bigint: "bigint",
  bool: "boolean",
  hundredths: "decimal(18,2)",
};

export function sqlType(type: ColumnType): string {
  return SQL_TYPES[type];
}

/** Returns the `create table` statement of a table. */
export function ddl(table: Table): string {
  const columns = Object.entries(table.columns).map(([name, type]) => `"${name}" ${SQL_TYPES[type]}`);
  return `create table ${table.name} (${columns.join(", ")})`;
}

const EVIDENCE_COLUMNS = Object.fromEntries(EVIDENCE.map(({ name, type }) => [name, type])) as EvidenceColumns;

const CAPTURE_KEY = { part: "int", row: "int" } as const;

const CREATOR_FIELDS = {
  position: "int",
  name: "text",
  person: "bool",
  full_name: "bool",
  orcid: "text",
  folded_name: "text",
  slug_name: "text",
  affiliation: "text",
} as const;
const CREATOR_ALWAYS = ["name", "person", "full_name", "folded_name", "slug_name"] as const;

const AFFILIATION_FIELDS = {
  position: "int",
  place: "int",
  institution_id: "text",
  reported_json: "text",
  label: "text",
  folded: "text",
  ror: "text",
  other_ids: "text",
  country: "text",
  country_basis: "text",
} as const;
const AFFILIATION_ALWAYS = ["institution_id", "reported_json", "label", "folded"] as const;

const VALUE_FIELDS = { evidence: "text", place: "int", value: "text", counts: "bool", found_in: "text" } as const;
const VALUE_ALWAYS = ["value", "counts"] as const;

const FUNDING_FIELDS = {
  place: "int",
  funder: "text",
  funder_scheme: "text",
  funder_id: "text",
  award_number: "text",
  award_title: "text",
  award_url: "text",
} as const;

/** Tables that the workers of stage 2 write. Later stages do not read them. */
export const CAPTURE_TABLES = {
  capture: {
    name: "capture",
    grain: "one harvested payload",
    key: ["part", "row"],
    columns: { ...columnsIn("capture"), ...EVIDENCE_COLUMNS, evidence_errors: "bigint" },
    always: alwaysIn("capture"),
  },
  capture_creator: {
    name: "capture_creator",
    grain: "one creator of a payload",
    key: ["part", "row", "position"],
    columns: { ...CAPTURE_KEY, ...CREATOR_FIELDS },
    always: CREATOR_ALWAYS,
  },
  capture_affiliation: {
    name: "capture_affiliation",
    grain: "one affiliation of a creator",
    key: ["part", "row", "position", "place"],
    columns: { ...CAPTURE_KEY, ...AFFILIATION_FIELDS },
    always: AFFILIATION_ALWAYS,
  },
  capture_facet: {
    name: "capture_facet",
    grain: "one facet value of a payload",
    key: ["part", "row", "kind", "place"],
    columns: { ...CAPTURE_KEY, kind: "text", place: "int", value: "text" },
    always: ["value"],
  },
  capture_funding: {
    name: "capture_funding",
    grain: "one statement of funding of a payload",
    key: ["part", "row", "place"],
    columns: { ...CAPTURE_KEY, ...FUNDING_FIELDS },
  },
  capture_value: {
    name: "capture_value",
    grain: "one value of a payload that a column of evidence counts or leaves out",
    key: ["part", "row", "evidence", "place"],
    columns: { ...CAPTURE_KEY, ...VALUE_FIELDS },
    always: VALUE_ALWAYS,
  },
} as const satisfies Record<string, Table>;

/** Tables that stage 2 writes, with one record for each dataset. */
export const RECORD_TABLES = {
  record: {
    name: "record",
    published: "records",
    grain: "one dataset, as its winning source describes it",
    key: ["id"],
    columns: columnsIn("record"),
    always: alwaysIn("record"),
  },
  evidence: {
    name: "evidence",
    published: "evidence",
    grain: "the evidence of one readable record",
    key: ["id"],
    columns: { id: "text", source: "text", ...EVIDENCE_COLUMNS, evidence_errors: "bigint" },
    always: ["source", "evidence_errors"],
  },
  duplicate_evidence: {
    name: "duplicate_evidence",
    published: "duplicate-evidence",
    grain: "the evidence of one harvested, readable duplicate",
    key: ["id"],
    columns: { id: "text", source: "text", ...EVIDENCE_COLUMNS, evidence_errors: "bigint" },
    always: ["source", "evidence_errors"],
  },
  creator: {
    name: "creator",
    grain: "one creator of a record",
    key: ["id", "position"],
    columns: { id: "text", ...CREATOR_FIELDS },
    always: CREATOR_ALWAYS,
  },
  affiliation: {
    name: "affiliation",
    grain: "one affiliation of a creator of a record",
    key: ["id", "position", "place"],
    columns: { id: "text", ...AFFILIATION_FIELDS },
    always: AFFILIATION_ALWAYS,
  },
  facet: {
    name: "facet",
    published: "facets",
    grain: "one facet value of a record",
    key: ["id", "kind", "place"],
    columns: { id: "text", kind: "text", place: "int", value: "text" },
  },
  funding: {
    name: "funding",
    published: "funding",
    grain: "one statement of funding of a record",
    key: ["id", "place"],
    columns: { id: "text", ...FUNDING_FIELDS },
  },
  value: {
    name: "value",
    published: "values",
    grain:
      "one value of a record that a column of evidence counts, or one of the same kind that it leaves out; at most ten of each",
    key: ["id", "evidence", "place"],
    columns: { id: "text", ...VALUE_FIELDS },
    always: VALUE_ALWAYS,
  },
  alias: {
    name: "alias",
    published: "aliases",
    grain: "another source's id of a record",
    key: ["alias_id"],
    columns: { alias_id: "text", alias_identifier: "text", id: "text" },
  },
  unlisted: {
    name: "unlisted",
    published: "unlisted",
    grain: "a harvested tombstone, or a record that is not a dataset",
    key: ["id"],
    columns: { id: "text", identifier: "text", kind: "text", reason: "text" },
  },
} as const satisfies Record<string, Table>;

const POINTS = {
  status: "text",
  total: "int",
  s: "int",
  h: "int",
  a: "int",
  r: "int",
  e: "int",
} as const;

const MASKS = {
  supported_mask: "int",
  evaluable_mask: "int",
  passed_mask: "int",
  source_missing_mask: "int",
  failed_mask: "int",
} as const;

export const SCORE_TABLES = {
  score: {
    name: "score",
    published: "scores",
    grain: "one record under one public version",
    key: ["id", "rubric"],
    columns: {
      id: "text",
      rubric: "text",
      ...POINTS,
      observed_use: "int",
      ...MASKS,
    },
  },
} as const satisfies Record<string, Table>;

/** Tables that are only written if the build also scores contracts without a public version (`alsoContracts`). */
export const OTHER_SCORE_TABLES = {
  contract_score: {
    name: "contract_score",
    published: "contract-scores",
    grain: "one record under a contract without a public version; only in releases that were built with one",
    key: ["id", "contract"],
    columns: {
      id: "text",
      contract: "text",
      ...POINTS,
      ...MASKS,
    },
  },
} as const satisfies Record<string, Table>;

/** Means over scored records, the mean of their possible points (cap), and the share of evaluable signals that passed. */
const MEANS = {
  mean_score: "hundredths",
  mean_s: "hundredths",
  mean_h: "hundredths",
  mean_a: "hundredths",
  mean_r: "hundredths",
  mean_e: "hundredths",
  mean_cap: "hundredths",
  passed_of_evaluable: "hundredths",
} as const;

const LABELLED = {
  record_count: "int",
  scored_count: "int",
  mean_score: "hundredths",
  mean_cap: "hundredths",
  passed_of_evaluable: "hundredths",
} as const;

/** Columns with numbers of scored records in the 11 score ranges 0-9, 10-19 … 90-99, 100. */
export const DISTRIBUTION = Array.from({ length: 11 }, (_, i) => `d${i}`);
const DISTRIBUTION_COLUMNS: Readonly<Record<string, ColumnType>> = Object.fromEntries(
  DISTRIBUTION.map((name): [string, ColumnType] => [name, "int"]),
);

/** Columns with numbers of scored records for each possible total: 0, 4 … 100. */
export const TOTALS = Array.from({ length: 26 }, (_, i) => `t${4 * i}`);
const TOTAL_COLUMNS: Readonly<Record<string, ColumnType>> = Object.fromEntries(
  TOTALS.map((name): [string, ColumnType] => [name, "int"]),
);

/** Tables that stage 4 writes, and that cannot be computed again from other tables of the release. */
export const REPORTED_TABLES = {
  reported_affiliation: {
    name: "reported_affiliation",
    published: "affiliations",
    grain: "one reported affiliation of a creator of a record, without those of researchers who opted out",
    key: ["id", "position", "place"],
    columns: {
      id: "text",
      position: "int",
      place: "int",
      institution_id: "text",
      reported_json: "text",
      ror: "text",
      other_ids: "text",
    },
    always: ["institution_id", "reported_json"],
  },
} as const satisfies Record<string, Table>;

export const AGGREGATE_TABLES = {
  authorship: {
    name: "authorship",
    published: "authorships",
    grain: "one creator of a record, with their researcher if they have one",
    key: ["id", "position"],
    columns: {
      id: "text",
      position: "int",
      name: "text",
      affiliation: "text",
      orcid: "text",
      researcher_id: "text",
      slug: "text",
    },
  },
  attribution: {
    name: "attribution",
    published: "attributions",
    grain: "one reported affiliation of a creator of a record",
    key: ["id", "position", "place"],
    columns: {
      id: "text",
      position: "int",
      place: "int",
      institution_id: "text",
      country_code: "text",
      country_basis: "text",
      researcher_id: "text",
    },
  },
  researcher: {
    name: "researcher",
    published: "researchers",
    grain: "one researcher under one public version",
    former: { tier: "text", quadrant: "text" },
    key: ["rubric", "id"],
    columns: {
      rubric: "text",
      id: "text",
      slug: "text",
      name: "text",
      affiliation: "text",
      orcid: "text",
      identity_basis: "text",
      s_index: "int",
      s_impact: "int",
      cited_known: "int",
      cited_datasets: "int",
      dataset_count: "int",
      scored_count: "int",
      max_score: "int",
      ...MEANS,
      s_index_median: "hundredths",
      data_date: "text",
    },
  },
  researcher_dataset: {
    name: "researcher_dataset",
    published: "researcher-datasets",
    grain: "one of the 100 datasets of a researcher with the highest totals, under one public version",
    key: ["rubric", "researcher_id", "place"],
    columns: { rubric: "text", researcher_id: "text", place: "int", id: "text" },
  },
  metrics: {
    name: "metrics",
    published: "metrics",
    grain: "one public version",
    key: ["rubric"],
    columns: {
      rubric: "text",
      total_records: "int",
      scored_records: "int",
      insufficient_records: "int",
      total_authors: "int",
      authors_orcid: "int",
      authors_name_affiliation: "int",
      authors_name: "int",
      repository_count: "int",
      ...MEANS,
      median_score: "hundredths",
      pct_above_70: "hundredths",
      mean_observed_use: "hundredths",
      mean_s_index: "hundredths",
      max_s_index: "int",
      s_index_median: "hundredths",
      ...DISTRIBUTION_COLUMNS,
      ...TOTAL_COLUMNS,
    },
  },
  repository: {
    name: "repository",
    published: "repositories",
    grain: "one repository label under one public version; '' stands for records without a label",
    key: ["rubric", "repository"],
    columns: { rubric: "text", repository: "text", ...LABELLED, ...TOTAL_COLUMNS },
  },
  repository_source: {
    name: "repository_source",
    published: "repository-sources",
    grain: "one source that describes records of a repository label, under one public version",
    key: ["rubric", "repository", "source"],
    columns: { rubric: "text", repository: "text", source: "text", ...LABELLED, ...TOTAL_COLUMNS },
  },
  institution: {
    name: "institution",
    published: "institutions",
    grain: "one reported affiliation text under one public version",
    key: ["rubric", "id"],
    columns: {
      rubric: "text",
      id: "text",
      reported_json: "text",
      label: "text",
      country_code: "text",
      record_count: "int",
      scored_count: "int",
      author_count: "int",
      ...MEANS,
      ...DISTRIBUTION_COLUMNS,
      ...TOTAL_COLUMNS,
    },
  },
  country: {
    name: "country",
    published: "geography",
    grain: "one country under one public version; a record counts once in each of its countries",
    key: ["rubric", "country_code"],
    columns: {
      rubric: "text",
      country_code: "text",
      record_count: "int",
      scored_count: "int",
      institution_count: "int",
      ...MEANS,
      ...DISTRIBUTION_COLUMNS,
      ...TOTAL_COLUMNS,
    },
  },
  search: {
    name: "search",
    published: "search",
    grain: "one search term of a record",
    key: ["term", "id"],
    columns: { term: "text", id: "text" },
  },
} as const satisfies Record<string, Table>;

/** Tables that exist since format 3 (ADR 2). */
export const JOIN_TABLES: readonly Table[] = [RECORD_TABLES.funding, REPORTED_TABLES.reported_affiliation];

/** Tables that releases of earlier program versions may lack. Pages of those releases do not show these data. */
export const LATER_TABLES: readonly Table[] = [RECORD_TABLES.value];

/** The tables in data/ of a new release. The release digest covers their rows. */
export const RELEASE_TABLES: readonly Table[] = [
  RECORD_TABLES.record,
  RECORD_TABLES.evidence,
  RECORD_TABLES.duplicate_evidence,
  RECORD_TABLES.facet,
  RECORD_TABLES.alias,
  RECORD_TABLES.unlisted,
  SCORE_TABLES.score,
  ...Object.values(AGGREGATE_TABLES),
  ...JOIN_TABLES,
  ...LATER_TABLES,
];

/** Tables that a release may have in addition. The release digest covers them too. */
export const OPTIONAL_TABLES: readonly Table[] = Object.values(OTHER_SCORE_TABLES);

/** The fields of a receipt from which the tables of its release follow. */
export interface TablesReceipt {
  readonly alsoContracts?: readonly string[] | undefined;
  readonly content: { readonly tables: Readonly<Record<string, string>> };
}

/**
 * True if a release has one of the tables of format 3, and therefore all of them. `tables` has the tables of the
 * release by name.
 */
export function hasJoinTables(tables: Readonly<Record<string, string>>): boolean {
  return JOIN_TABLES.some((table) => Object.hasOwn(tables, publishedName(table)));
}

/** Returns the tables of a release, given its receipt. */
export function listReleaseTables({ alsoContracts = [], content }: TablesReceipt): readonly Table[] {
  const hasJoins = hasJoinTables(content.tables);
  const tables = RELEASE_TABLES.filter((table) => {
    if (LATER_TABLES.includes(table)) return Object.hasOwn(content.tables, publishedName(table));
    return hasJoins || !JOIN_TABLES.includes(table);
  });
  return alsoContracts.length === 0 ? tables : [...tables, ...OPTIONAL_TABLES];
}

/** Tables that are also available as CSV. */
export const CSV_TABLES: readonly Table[] = [
  RECORD_TABLES.record,
  RECORD_TABLES.value,
  SCORE_TABLES.score,
  AGGREGATE_TABLES.authorship,
  AGGREGATE_TABLES.researcher,
  AGGREGATE_TABLES.institution,
  AGGREGATE_TABLES.country,
  AGGREGATE_TABLES.metrics,
  AGGREGATE_TABLES.repository,
];
