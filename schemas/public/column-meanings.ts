/** Describes each column of the tables in a phrase. */

import { EVIDENCE } from "./evidence.ts";
import { RECORD_COLUMNS } from "./record-columns.ts";
import type { Table } from "./tables.ts";

/** Columns that mean the same in all tables, except in those that are listed below. */
const EVERYWHERE: Readonly<Record<string, string>> = {
  id: "id of the record",
  rubric: "public version",
  position: "place of the creator in the deposit, from 0",
  place: "place among those of its kind, from 0",
  name: "name as reported",
  affiliation: "the first affiliation, cleaned: one line without markup and control characters",
  orcid: "ORCID iD without its address",
  country_code: "ISO 3166-1 alpha-3 code of the country",
  country_basis: "basis of the country: `ror`, `field`, `text` or `region`",
  researcher_id: "id of the creator's researcher; null if the creator is not a person or has opted out",
  slug: "slug of the researcher in `/authors/{slug}`",
  institution_id: "sha256 of the affiliation's exact text: `id` of `institutions`",
  reported_json:
    "the exact text as a JSON string in ASCII; its characters that are unsafe to show are escaped as `\\uXXXX`",
  record_count: "records",
  scored_count: "records with a total",
  mean_score: "mean total",
  mean_s: "mean of the bucket S",
  mean_h: "mean of the bucket H",
  mean_a: "mean of the bucket A",
  mean_r: "mean of the bucket R",
  mean_e: "mean of the bucket E",
  mean_cap: "mean cap of the records",
  passed_of_evaluable: "percentage of the evaluable signals that passed",
  s_index_median: "median S-Index of researchers, without those known only by name",
  evidence_errors: "bits of the columns that could not be read",
};

const OTHER_IDS =
  "other ids as `<scheme>:<id>`, joined by spaces: `crossref_funder`, `grid`, `isni`, `wikidata`, `ringgold`";

const POINTS = {
  status: "`scored` or `insufficient_evidence`",
  total: "four points a passed signal; null without a score",
  s: "points of the bucket S",
  h: "points of the bucket H",
  a: "points of the bucket A",
  r: "points of the bucket R",
  e: "points of the bucket E",
} as const;

const MASKS = {
  supported_mask: "signals that the source can carry",
  evaluable_mask: "evaluable signals",
  passed_mask: "signals that passed",
  source_missing_mask: "signals whose evidence is not in the payload",
  failed_mask: "signals whose evidence could not be read",
} as const;

function beforeAndAfter(column: string, meaning: string): Readonly<Record<string, string>> {
  return {
    [`${column}_before`]: `${meaning} in the previous release`,
    [`${column}_after`]: `${meaning} in this release`,
  };
}

const OF_TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  capture_creator: {
    person: "whether it is a person",
    full_name: "whether a given name is spelled out",
    folded_name: "name without case, accents, degrees, in order",
    slug_name: "ASCII of the folded name, hyphenated",
  },
  capture_affiliation: {
    label: "the text, cleaned for display",
    folded: "the label without case and accents",
    ror: "ROR id without its address",
    other_ids: OTHER_IDS,
    country: "ISO 3166-1 alpha-3 code of the country",
  },
  capture_funding: {
    place: "place in the payload, from 0",
    funder:
      "name of the funder as reported, or a sentence that names it; null with every other value for a funder who is a person",
    funder_scheme: "`crossref_funder`, `ror`, `grid`, `isni`, `wikidata` or `ringgold`",
    funder_id: "id of the funder without its address",
    award_number: "number of the award or grant, as reported",
    award_title: "title of the award",
    award_url: "web page of the award",
  },
  reported_affiliation: { ror: "ROR id without its address", other_ids: OTHER_IDS },
  capture_value: {
    evidence: "the column of evidence",
    place: "place among the values of the record, from 0",
    value: "the value as stated, up to 120 characters; never the name of a creator",
    counts: "whether the column counts it",
    found_in:
      "path of the text that contains it, such as the description, if it is not in the field of its column; otherwise null",
  },
  capture_facet: { kind: "`disease`, `ageGroup` or `dataType`", value: "the value, as it is filtered by" },
  duplicate_evidence: {
    id: "id of the duplicate, which `aliases` has with that of its record",
    source: "source that described it",
  },
  alias: { alias_id: "the id that is redirected", alias_identifier: "its `<source>/<source-id>`" },
  unlisted: {
    id: "the id it would have",
    identifier: "its `<source>/<source-id>`",
    kind: "`tombstone` or `not_dataset`",
    reason: "reason",
  },
  score: {
    ...POINTS,
    observed_use: "bucket R of 1.0, whatever the version",
    ...MASKS,
  },
  contract_score: {
    contract: "the contract that it was scored by",
    ...POINTS,
    ...MASKS,
  },
  researcher: {
    id: "id of the researcher",
    name: "the most frequent of the names",
    affiliation: "the most frequent of the first affiliations",
    identity_basis: "`orcid`, `name_affiliation` or `name`",
    s_index: "the largest k with k datasets that score at least k",
    s_impact: "the largest k with k datasets that are cited at least k times",
    cited_known: "datasets whose citations are known",
    cited_datasets: "datasets, with known or unknown citations",
    dataset_count: "datasets with a total, each version family once",
    scored_count: "the same",
    max_score: "the best total",
    data_date: "newest date of the data",
  },
  researcher_dataset: { place: "rank by total, from 1" },
  metrics: {
    total_records: "records",
    scored_records: "records with a total",
    insufficient_records: "records with insufficient evidence",
    total_authors: "researchers",
    authors_orcid: "those known by an ORCID iD",
    authors_name_affiliation: "those known by name and affiliation",
    authors_name: "those known only by name",
    repository_count: "repository labels",
    median_score: "median total",
    pct_above_70: "percent of the totals that are 70 or more",
    mean_observed_use: "mean of bucket R of 1.0; null if no dataset has a total there",
    mean_s_index: "mean S-Index of researchers, without those known only by name",
    max_s_index: "largest S-Index of these",
  },
  repository: { repository: "label; '' for records without one" },
  repository_source: { repository: "label; '' for records without one", source: "source that describes them" },
  institution: {
    id: "sha256 of the exact text",
    label: "the text, cleaned for display",
    author_count: "researchers",
  },
  country: { institution_count: "affiliations of that country" },
  change: {
    id: "id of the record; of a removed record, its id in the previous release",
    kind: "`added`, `moved` or `removed`",
    previous_id: "its id in the previous release; null if added",
    identifier: "`<source>/<source-id>`",
    previous_source: "the source that described it before, if it was another",
    status_before: "status in the previous release; null if added",
    status_after: "status in this release; null if removed",
    total_before: "total in the previous release",
    total_after: "total in this release",
    points: "difference of the totals",
    causes: "causes of the change, joined by spaces",
    reason: "why it was added or removed",
    signals: "the changed signals, each as `signal:before>after:cause:points`, joined by spaces",
  },
  signal_change: {
    bit: "bit of the signal in every mask",
    signal: "id of the signal",
    cause: "the cause of this change",
    state_before: "state before this cause",
    state_after: "state after it",
    points: "points that the change added or removed",
  },
  researcher_change: {
    id: "id of the researcher",
    ...beforeAndAfter("s_index", "S-Index"),
    ...beforeAndAfter("s_impact", "S-Impact"),
    ...beforeAndAfter("dataset_count", "datasets with a total, each version family once,"),
  },
  search: { term: "folded word, pair of characters, or DOI" },
};

/** Tables of captures, with the table of a later stage that has the same columns. */
const SAME_AS: Readonly<Record<string, string>> = {
  creator: "capture_creator",
  affiliation: "capture_affiliation",
  facet: "capture_facet",
  funding: "capture_funding",
  value: "capture_value",
};

const OF_RECORDS = new Map<string, string>(RECORD_COLUMNS.map(({ name, meaning }) => [name, meaning]));
const OF_EVIDENCE = new Map<string, string>(EVIDENCE.map(({ name, fact }) => [name, fact]));

/** Returns the meaning of a column. @throws Error if the column has none */
export function getColumnMeaning({ name: table }: Table, column: string): string {
  const stated = OF_TABLES[SAME_AS[table] ?? table]?.[column];
  const ofRecord = table === "capture" || table === "record" ? OF_RECORDS.get(column) : undefined;
  const meaning =
    stated ?? ofRecord ?? OF_EVIDENCE.get(column) ?? EVERYWHERE[column] ?? OF_RECORDS.get(column) ?? figure(column);
  if (meaning === undefined)
    throw new Error(`the column ${column} of ${table} has no meaning: add one to column-meanings.ts`);
  return meaning;
}

/** Returns the meaning of a column with a count, such as d0 … d10 or t0, t4 … t100. */
function figure(column: string): string | undefined {
  const [, kind, number] = /^([dt])(\d+)$/.exec(column) ?? [];
  if (kind === "t") return `totals of ${number}`;
  if (kind !== "d") return undefined;
  return number === "10" ? "totals of 100" : `totals of ${10 * Number(number)} to ${10 * Number(number) + 9}`;
}
