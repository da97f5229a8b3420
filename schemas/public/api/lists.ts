/**
 * Describes the four lists: their filters, orders and facets, one row for each. Query parameters, SQL, chips, facets and
 * form fields are derived from these rows. To add a filter, add a row here; if the filter reads another table, also add its
 * SQL in server/read/filters.ts.
 */

import { z } from "zod";
import { MAX_TEXT } from "../record-columns.ts";
import type { PublicVersion } from "../rubric.ts";
import { SIGNAL_IDS, STATES } from "../signal.ts";
import { text } from "../text.ts";
import { assignedCountryCode } from "./attribution.ts";
import { date, decimal } from "./parameters.ts";

export const LIST_NAMES = ["records", "authors", "institutions", "geography"] as const;
export type ListName = (typeof LIST_NAMES)[number];

export interface Filter {
  /** The schema of the query parameter, with its limits, description and examples. */
  readonly parameter: z.ZodType;
  /**
   * How the filter finds rows: by the label of a column that is stored as a code, by a facet, or by a lower or upper limit
   * of a column. `own` means SQL in server/read/filters.ts, and `search` means the search index. `spellings` finds no rows
   * itself: this parameter decides how labels with `isSpelt` are compared, because sources spell such labels in several
   * ways.
   */
  readonly finds:
    | { readonly label: string; readonly isSpelt?: true }
    | { readonly facet: string }
    | { readonly least: string }
    | { readonly most: string }
    | "own"
    | "search"
    | "spellings";
  /** The tables that the filter needs. Releases without attribution, or before format 3, lack them. */
  readonly needs?: "attribution" | "joins";
  /** The text of the chip that shows the filter above a list. Without a text, the filter is not shown there. */
  readonly chip?: string;
  /** The name of the filter with the upper limit, which is shown in the same chip. */
  readonly upper?: string;
  /** The label and hint of the filter in the form of the site. */
  readonly field?: { readonly label: string; readonly hint: string };
}

/** Longest search text in characters. interface.md does not limit it. */
const MAX_SEARCH_LENGTH = 512;

const MAX_DOI_LENGTH = 2048;

const MAX_ORCID_LENGTH = 200;

/** Longest label of a repository, in characters. */
export const MAX_LABEL_LENGTH = MAX_TEXT;

/** Describes the parameter `ids`: ids of rows, joined by commas. */
interface Ids {
  /** The regular expression of one id. */
  readonly id: string;
  readonly wanted: string;
  readonly example: string;
}

/** Maximum number of ids or fields in a request. */
export const MAX_NAMED = 100;

/** Returns the schema of the parameter `ids`, with at most `most` ids. */
function idsParameter({ id, wanted, example }: Ids, most: number) {
  return z
    .string()
    .regex(new RegExp(`^${id}(?:,${id}){0,${most - 1}}$`), `${wanted}, at most ${most}`)
    .optional()
    .meta({
      description: `Only the rows with these ids, at most ${most}, joined by commas. Unknown ids have no row.${most === MAX_NAMED ? ` The default of \`limit\` is then ${MAX_NAMED}.` : ""}`,
      examples: [example],
    });
}

const RECORD_IDS: Ids = {
  id: "r[0-9a-f]{24}",
  wanted: "must be ids of records such as r1a613b3271281b736c4d1106, joined by commas",
  example: "r1a613b3271281b736c4d1106,rfe033edf024c8af1f4201500",
};
const RESEARCHER_IDS: Ids = {
  id: "a[0-9a-f]{24}",
  wanted: "must be ids of researchers such as a3f0c7d1e9b2a4658c7d0e1f2, joined by commas",
  example: "a3f0c7d1e9b2a4658c7d0e1f2",
};
const INSTITUTION_IDS: Ids = {
  id: "[0-9a-f]{64}",
  wanted: "must be ids of reported affiliations (64 hexadecimal digits each), joined by commas",
  example: "9b74c9897bac770ffc029102a200c5de5d6e2d0c1b7a5f3e4d8c6b0a19283746",
};
const COUNTRY_IDS: Ids = {
  id: "[A-Za-z]{3}",
  wanted: "must be codes of ISO 3166-1 alpha-3 such as NOR, joined by commas",
  example: "NOR,ITA",
};

/** Returns the parameter `ids` for at most `most` records. */
export const idsOfRecords = (most: number) => idsParameter(RECORD_IDS, most);

const institutionParameter = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "must be the id of a reported affiliation: 64 hexadecimal digits, from /institutions")
  .optional()
  .meta({
    description: "Id of a reported affiliation of a creator, as in `/institutions`.",
    examples: [INSTITUTION_IDS.example],
  });

const SIGNAL = `(?:${SIGNAL_IDS.join("|")})`;
/** The value of the filter `signals`: pairs of a signal and a state. Each signal may occur once. */
const SIGNAL_STATES = (() => {
  const pair = `${SIGNAL}:(?:${STATES.join("|")})`;
  const pairs = `${pair}(?:,${pair}){0,${SIGNAL_IDS.length - 1}}`;
  // The length is bounded before the search for a repeated signal, which takes quadratic time.
  return new RegExp(`^(?=${pairs}$)(?!(?:.*,)?(${SIGNAL}):.*,\\1:).*$`);
})();

const PLAIN_TEXT =
  "Plain text without operators. All words must match; case and accents do not matter. A text without a letter or digit is ignored.";

const RECORD_FILTERS = {
  ids: { parameter: idsOfRecords(MAX_NAMED), finds: "own", chip: "Chosen datasets" },
  search: {
    parameter: text(MAX_SEARCH_LENGTH)
      .optional()
      .meta({
        description: `Full-text search on title and DOI. ${PLAIN_TEXT} A DOI matches exactly or as a prefix.`,
        examples: ["soil temperature"],
      }),
    finds: "search",
    field: { label: "Title or DOI", hint: "" },
  },
  identifier: {
    parameter: text(512)
      .optional()
      .meta({
        description:
          "Persistent identifier: `<source>/<source-id>`, a DOI in any form, an accession, or the URL of a landing page. Identifiers of the same dataset at other sources match too. Any other text matches nothing.",
        examples: ["zenodo/99000075"],
      }),
    finds: "own",
  },
  doi: {
    parameter: text(MAX_DOI_LENGTH)
      .optional()
      .meta({
        description: "DOI in any form: bare, with `doi:`, as a URL, percent-encoded, in upper or lower case.",
        examples: ["10.5281/zenodo.99000075"],
      }),
    finds: "own",
  },
  repository: {
    parameter: text(MAX_LABEL_LENGTH)
      .optional()
      .meta({
        description: "Label of a repository. Upper and lower case only matter if a repository has exactly this label.",
        examples: ["Zenodo"],
      }),
    finds: "own",
    chip: "Repository",
  },
  source: {
    parameter: text(80)
      .optional()
      .meta({ description: "Name of the source that described the dataset, as in receipts.", examples: ["zenodo"] }),
    finds: { label: "source" },
    chip: "Read through",
  },
  publishedFrom: {
    parameter: date()
      .optional()
      .meta({
        description:
          "Earliest publication: a year, month or day. A record with only a year or month counts from its first day.",
        examples: ["2020"],
      }),
    finds: "own",
    chip: "Published",
    upper: "publishedUntil",
    field: { label: "Published from", hint: "A year, month or day" },
  },
  publishedUntil: {
    parameter: date()
      .optional()
      .meta({
        description: "Latest publication, inclusive: a year, month or day.",
        examples: ["2024-06"],
      }),
    finds: "own",
    field: { label: "Published until", hint: "A year, month or day" },
  },
  license: {
    parameter: text(MAX_LABEL_LENGTH)
      .optional()
      .meta({
        description: "Licence as in `license` of the record: the SPDX id, or else the source's own words.",
        examples: ["CC-BY-4.0"],
      }),
    finds: { label: "license", isSpelt: true },
    chip: "Licence",
    field: { label: "Licence", hint: "For example CC-BY-4.0" },
  },
  countryCode: {
    parameter: assignedCountryCode.optional().meta({
      description: "Country of an institution of a creator: ISO 3166-1 alpha-3 code, in upper or lower case.",
      examples: ["NOR"],
    }),
    finds: "own",
    needs: "attribution",
    chip: "Country",
    field: { label: "Country", hint: "A name or three letters, for example Norway or NOR" },
  },
  institution: {
    parameter: institutionParameter,
    finds: "own",
    needs: "attribution",
    chip: "Institution",
  },
  ror: {
    parameter: text(MAX_ORCID_LENGTH)
      .optional()
      .meta({
        description: "ROR id of a creator's affiliation, as the source states it, with or without `https://ror.org/`.",
        examples: ["https://ror.org/05gq02987"],
      }),
    finds: "own",
    needs: "joins",
    chip: "Institution by ROR id",
    field: { label: "Institution", hint: "A ROR id" },
  },
  funder: {
    parameter: text(MAX_LABEL_LENGTH)
      .optional()
      .meta({
        description: "ROR id, Crossref Funder id or exact name of a funder, in upper or lower case.",
        examples: ["10.13039/501100000780"],
      }),
    finds: "own",
    needs: "joins",
    chip: "Funder",
    field: { label: "Funder", hint: "A ROR id, Crossref Funder id or full name" },
  },
  award: {
    parameter: text(MAX_LABEL_LENGTH)
      .optional()
      .meta({ description: "Number of an award or grant, in upper or lower case.", examples: ["101000000"] }),
    finds: "own",
    needs: "joins",
    chip: "Award",
    field: { label: "Award number", hint: "As the depositor wrote it" },
  },
  author: {
    parameter: z
      .string()
      .regex(/^a[0-9a-f]{24}$/, "must be the id of a researcher, such as a3f0c7d1e9b2a4658c7d0e1f2")
      .optional()
      .meta({ description: "Id of a researcher, as in `/authors`.", examples: ["a3f0c7d1e9b2a4658c7d0e1f2"] }),
    finds: "own",
    chip: "Researcher",
  },
  recordKind: {
    parameter: text(80)
      .optional()
      .meta({ description: "Record kind in the source's own words.", examples: ["Dataset"] }),
    finds: { label: "record_kind", isSpelt: true },
    chip: "Kind",
  },
  disease: {
    parameter: text(256)
      .optional()
      .meta({ description: "Exact public disease facet.", examples: ["Asthma"] }),
    finds: { facet: "disease" },
    chip: "Disease",
  },
  ageGroup: {
    parameter: text(120)
      .optional()
      .meta({ description: "Exact public age-group facet.", examples: ["ADULT"] }),
    finds: { facet: "ageGroup" },
    chip: "Age group",
  },
  dataType: {
    parameter: text(256)
      .optional()
      .meta({ description: "Exact public data-type facet.", examples: ["INTERVENTIONAL"] }),
    finds: { facet: "dataType" },
    chip: "Data type",
  },
  accessStatus: {
    parameter: text(80)
      .optional()
      .meta({ description: "Access state as the source reports it.", examples: ["open"] }),
    finds: { label: "access_status", isSpelt: true },
    chip: "Access",
    field: { label: "Access", hint: "The term of the repository, for example open" },
  },
  spellings: {
    parameter: z
      .enum(["exact", "all"], "must be exact or all")
      .optional()
      .meta({
        description:
          "With `all`, the filters `license`, `recordKind` and `accessStatus` also find other spellings: `dataset` finds `Dataset`, and `open` finds `info:eu-repo/semantics/openAccess`. The lists of the site ask for `all`. The default is `exact`.",
        examples: ["all"],
      }),
    finds: "spellings",
  },
  signals: {
    parameter: z
      .string()
      .regex(SIGNAL_STATES, "must be pairs such as E1:absent, joined by commas, with each signal at most once")
      .optional()
      .meta({
        description: `Only records whose signals have these states, as \`<signal>:<state>\`, joined by commas. The states are ${STATES.join(", ")}.`,
        examples: ["E1:absent,R1:passed"],
      }),
    finds: "own",
    chip: "Signal",
  },
  minScore: {
    parameter: decimal(0, 100)
      .optional()
      .meta({ description: "Minimum total. Records without a total are excluded.", examples: [60] }),
    finds: { least: "total" },
    chip: "Score",
    upper: "maxScore",
    field: { label: "Minimum score", hint: "0 to 100" },
  },
  maxScore: {
    parameter: decimal(0, 100)
      .optional()
      .meta({ description: "Maximum total. Records without a total are excluded.", examples: [80] }),
    finds: { most: "total" },
    field: { label: "Maximum score", hint: "0 to 100" },
  },
  minSupportedChecks: {
    parameter: decimal(0, 25)
      .optional()
      .meta({ description: "Minimum number of signals that the source supports.", examples: [12] }),
    finds: { least: "supported" },
  },
} as const satisfies Readonly<Record<string, Filter>>;

const RESEARCHER_FILTERS = {
  ids: { parameter: idsParameter(RESEARCHER_IDS, MAX_NAMED), finds: "own" },
  search: {
    parameter: text(MAX_SEARCH_LENGTH)
      .optional()
      .meta({
        description: `Search in researchers' names. ${PLAIN_TEXT} An ORCID iD in any form also matches. Among equal names, researchers with an ORCID iD come first, then those with more datasets.`,
        examples: ["Vance"],
      }),
    finds: "search",
  },
  orcid: {
    parameter: text(MAX_ORCID_LENGTH)
      .optional()
      .meta({
        description: "ORCID iD, with or without hyphens, or as a URL.",
        examples: ["0000-0005-1200-0216"],
      }),
    finds: "own",
  },
  institution: { parameter: institutionParameter, finds: "own", needs: "attribution" },
  minSIndex: {
    parameter: decimal(0, null)
      .optional()
      .meta({ description: "Minimum S-Index.", examples: [3] }),
    finds: { least: "s_index" },
  },
  minDatasets: {
    parameter: decimal(0, null)
      .optional()
      .meta({ description: "Minimum number of datasets.", examples: [5] }),
    finds: { least: "dataset_count" },
  },
} as const satisfies Readonly<Record<string, Filter>>;

const INSTITUTION_FILTERS = {
  ids: { parameter: idsParameter(INSTITUTION_IDS, MAX_NAMED), finds: "own" },
  search: {
    parameter: text(240)
      .optional()
      .meta({
        description: `Search in the cleaned labels of reported affiliations. ${PLAIN_TEXT}`,
        examples: ["Norvale"],
      }),
    finds: "search",
  },
  countryCode: {
    parameter: assignedCountryCode
      .optional()
      .meta({ description: "ISO 3166-1 alpha-3 code, in upper or lower case.", examples: ["NOR"] }),
    finds: "own",
    needs: "attribution",
  },
} as const satisfies Readonly<Record<string, Filter>>;

const COUNTRY_FILTERS = {
  ids: { parameter: idsParameter(COUNTRY_IDS, MAX_NAMED), finds: "own" },
} as const satisfies Readonly<Record<string, Filter>>;

export const FILTERS = {
  records: RECORD_FILTERS,
  authors: RESEARCHER_FILTERS,
  institutions: INSTITUTION_FILTERS,
  geography: COUNTRY_FILTERS,
} as const satisfies Readonly<Record<ListName, Readonly<Record<string, Filter>>>>;

/** Names of the filters for labels that sources spell in several ways: licence, kind and access status. */
export const SPELT_FILTERS: readonly string[] = Object.entries<Filter>(RECORD_FILTERS).flatMap(([name, { finds }]) =>
  typeof finds === "object" && "isSpelt" in finds ? [name] : [],
);

/** Returns the query parameters of the filters of a list. */
export function defineParameters<Filters extends Readonly<Record<string, Filter>>>(filters: Filters) {
  const parameters = Object.entries(filters).map(([name, { parameter }]) => [name, parameter] as const);
  return Object.fromEntries(parameters) as { [Name in keyof Filters]: Filters[Name]["parameter"] };
}

/**
 * A column by which a list can be sorted. With `only`, the column exists under that version only; under other versions, all
 * rows are equal in this order.
 */
export interface Order {
  readonly column: string;
  /** Columns by which equal rows are sorted, highest value first. Rows that are still equal are sorted by id. */
  readonly ties?: readonly string[];
  readonly only?: PublicVersion;
}

/** Returns the orders by total and by bucket. The columns contain points for records, and means for researchers. */
function scoreOrders(total: string, bucket: (name: string) => string) {
  return {
    score: { column: total },
    shareScore: { column: total },
    S: { column: bucket("s") },
    H: { column: bucket("h") },
    A: { column: bucket("a") },
    R: { column: bucket("r") },
    E: { column: bucket("e") },
    stewardshipScore: { column: bucket("s") },
    harmonizationScore: { column: bucket("h") },
    accessScore: { column: bucket("a") },
    engagementScore: { column: bucket("e") },
    // Each version has one of the two fields for the bucket R (decisions.md, "Rows").
    reuseScore: { column: bucket("r"), only: "1.0" },
    reusabilityScore: { column: bucket("r"), only: "2.0" },
  } as const satisfies Readonly<Record<string, Order>>;
}

/**
 * The sort keys of each list with their columns. The first key is the default. `position` is the order by id. Nulls come
 * last.
 */
export const ORDERS = {
  records: {
    id: { column: "position" },
    ...scoreOrders("total", (name) => name),
    // Among equal shares, 20 of 20 possible points come after 100 of 100.
    shareOfCap: { column: "share_of_cap", ties: ["total", "pub_date"] },
    pubDate: { column: "pub_date" },
    title: { column: "title" },
    // All matches have every word of the search, so the shortest title has the fewest other words.
    relevance: { column: "relevance", ties: ["pub_date"] },
  },
  authors: {
    name: { column: "text" },
    sIndex: { column: "s_index" },
    sImpact: { column: "s_impact" },
    datasetCount: { column: "dataset_count" },
    avgScore: { column: "mean_score" },
    maxScore: { column: "max_score" },
    // People are not ranked, so the order is by name.
    identity: { column: "identity", ties: ["dataset_count"] },
    meanCap: { column: "mean_cap" },
    passedOfEvaluable: { column: "passed_of_evaluable" },
    ...scoreOrders("mean_score", (name) => `mean_${name}`),
  },
  institutions: {
    label: { column: "text" },
    recordCount: { column: "record_count" },
    authorCount: { column: "author_count" },
    meanScore: { column: "mean_score" },
  },
  geography: {
    countryCode: { column: "position" },
    recordCount: { column: "record_count" },
    meanScore: { column: "mean_score" },
  },
} as const satisfies Readonly<Record<ListName, Readonly<Record<string, Order>>>>;

type SortOf<List extends ListName> = keyof (typeof ORDERS)[List] & string;

/** Returns the sort keys of a list, the default first. */
export function listSorts<List extends ListName>(list: List): readonly [SortOf<List>, ...SortOf<List>[]] {
  return Object.keys(ORDERS[list]) as [SortOf<List>, ...SortOf<List>[]];
}

/**
 * Largest number of values of a facet that the server returns. The site shows some of them at once, and the others on
 * request.
 */
export const MAX_VALUES = 40;

interface FacetOfFilters {
  readonly heading: string;
  /** The filters that are set when a user selects a value of the facet. */
  readonly filters: readonly (keyof typeof RECORD_FILTERS)[];
  /** True if several values can be selected together, because a dataset can for example lack several signals. */
  readonly combined?: boolean;
}

/**
 * Facets of the list of datasets, in the order of the page. If the filter of a facet finds rows by label, the facet counts
 * labels. For other facets, server/read/facets.ts has the SQL.
 */
export const FACETS = {
  signals: { heading: "Missing signal", filters: ["signals"], combined: true },
  passed: { heading: "Passed signal", filters: ["signals"], combined: true },
  year: { heading: "Year of publication", filters: ["publishedFrom", "publishedUntil"] },
  repository: { heading: "Repository", filters: ["repository"] },
  license: { heading: "Licence", filters: ["license"] },
  accessStatus: { heading: "Access", filters: ["accessStatus"] },
  countryCode: { heading: "Country", filters: ["countryCode"] },
  ror: { heading: "Institution by ROR id", filters: ["ror"] },
  funder: { heading: "Funder", filters: ["funder"] },
  recordKind: { heading: "Kind", filters: ["recordKind"] },
  /** The facet of scores, which the list shows as a chart instead of links. */
  score: { heading: "Score", filters: ["minScore", "maxScore"] },
} as const satisfies Readonly<Record<string, FacetOfFilters>>;
export type FacetName = keyof typeof FACETS;
export const FACET_NAMES = Object.keys(FACETS) as readonly FacetName[];

export function isCombined(name: FacetName): boolean {
  const { combined = false }: FacetOfFilters = FACETS[name];
  return combined;
}

export interface Facet {
  /** Values with their numbers of records, the most frequent first. */
  readonly values: readonly { readonly value: string; readonly label: string; readonly records: number }[];
  /** Number of all values, including those that are not listed. */
  readonly total: number;
  /** Number of records for which the source does not give a value. */
  readonly unknown: number;
  /** The words with which the user searched among the values. Without them, the most frequent values are listed. */
  readonly search?: string;
}
