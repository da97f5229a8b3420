/**
 * The queries of the API (interface.md, "Shared list query parameters" and the filters; decisions.md, "Requests").
 * Each schema parses the known parameters and applies defaults. OpenAPI shows its descriptions and bounds.
 */

import { z } from "zod";
import { LONGEST_WORDS } from "../record-columns.ts";
import { PUBLIC_VERSIONS, publicVersion } from "../rubric.ts";
import { SIGNAL_IDS, STATES } from "../signal.ts";
import { text } from "../text.ts";
import { assignedCountryCode } from "./attribution.ts";
import { changeKind, reason } from "./diff.ts";
import { MOST_LOOKED_UP } from "./lookup.ts";

/** Default number of rows on a page (interface.md, "Limits"). */
export const DEFAULT_LIMITS = { records: 10, authors: 10, institutions: 20, geography: 250, changes: 10 } as const;

/** Sort keys of scores: for records total and buckets, for researchers their means. */
const SCORE_SORTS = [
  "score",
  "shareScore",
  "S",
  "H",
  "A",
  "R",
  "E",
  "stewardshipScore",
  "harmonizationScore",
  "accessScore",
  "engagementScore",
  "reuseScore",
  "reusabilityScore",
] as const;

/** Sort keys of each list, the default first. Ties are sorted by id; nulls come last. */
export const SORTS = {
  records: ["id", ...SCORE_SORTS, "shareOfCap", "pubDate", "title"],
  authors: [
    "name",
    "sIndex",
    "sImpact",
    "datasetCount",
    "avgScore",
    "maxScore",
    "meanCap",
    "passedOfEvaluable",
    ...SCORE_SORTS,
  ],
  institutions: ["label", "recordCount", "authorCount", "meanScore"],
  geography: ["countryCode", "recordCount", "meanScore"],
} as const;

const [PREFERRED] = PUBLIC_VERSIONS;

export const rubricParameter = publicVersion
  .default(PREFERRED)
  .meta({ description: "Public SHARE version of the scores.", examples: [PREFERRED] });

/** A number as in JSON. Leading zeros, or no digit before the point, are also allowed. */
const NUMBER = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;

const LONGEST_NUMBER = 64;

/** The type `number` of interface.md. `most` is null if there is no upper limit. */
function decimal(least: number, most: number | null, message = "must be a number such as 70 or 70.5") {
  const number = z.number(message).min(least, `must be at least ${least}`);
  return z
    .string()
    .refine((text) => text.length <= LONGEST_NUMBER && NUMBER.test(text), { error: message, abort: true })
    .transform(Number)
    .pipe(most === null ? number : number.max(most, `must be at most ${most}`));
}

/** An integer, in any notation. */
function integer(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return decimal(least, most, message).pipe(z.int(message).min(least).max(most));
}

/** A year, month or day. */
function date() {
  return z
    .string()
    .regex(
      /^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?$/,
      "must be a date such as 2020, 2020-05 or 2020-05-17",
    );
}

/** Longest search text. interface.md has no limit. */
const LONGEST_SEARCH = 512;

const LONGEST_DOI = 2048;

const LONGEST_ORCID = 200;

/** Longest label of a repository, in characters. */
export const LONGEST_LABEL = LONGEST_WORDS;

/** The parameter `ids`: row ids, joined by commas. */
interface Ids {
  /** The pattern of one id. */
  readonly id: string;
  readonly wanted: string;
  readonly example: string;
}

/** Maximum number of ids or fields in a request. */
export const MOST_NAMED = 100;

const LONGEST_FIELDS = 4096;

/** `*`, or a cursor in base64url. */
const CURSOR = /^(?:\*|[A-Za-z0-9_-]{1,128})$/;

/** The default of `page`. */
export const FIRST_PAGE = 1;

/** Pagination and `fields`. `stays` states when a cursor expires. `fields` is an example. */
function parts(limit: number, most: number, expiryText: string, fields: string) {
  return {
    page: integer(FIRST_PAGE, 10_000)
      .default(FIRST_PAGE)
      .meta({ description: "Page number. A page after the end is empty. With `cursor`, only the default is allowed." }),
    limit: integer(1, most)
      .default(limit)
      .meta({ description: "Rows on a page.", examples: [limit] }),
    cursor: z
      .string()
      .regex(CURSOR, "must be * or an unchanged nextCursor")
      .optional()
      .meta({
        description: `Use it instead of \`page\` to read a whole list in order: start with \`*\`, and continue with \`pagination.nextCursor\` of each response until it is null. All rows are of the same release. You can change only \`limit\` and \`fields\` between requests. ${expiryText}`,
        examples: ["*"],
      }),
    fields: text(LONGEST_FIELDS)
      .optional()
      .meta({
        description:
          "The fields of a row, joined by commas, in any order; by default all. Name a nested field by its path, as in the CSV header: `score` is the whole score, `score.total` only the total.",
        examples: [fields],
      }),
  };
}

/** Ids, joined by commas. */
function idsParameter({ id, wanted, example }: Ids, most: number) {
  return z
    .string()
    .regex(new RegExp(`^${id}(?:,${id}){0,${most - 1}}$`), `${wanted}, at most ${most}`)
    .optional()
    .meta({
      description: `Only the rows with these ids, at most ${most}, joined by commas. Unknown ids have no row.${most === MOST_NAMED ? ` The default of \`limit\` is then ${MOST_NAMED}.` : ""}`,
      examples: [example],
    });
}

function paging(limit: number, most: number, sorts: readonly [string, ...string[]], ids: Ids, fields: string) {
  const expiryText = "If another release becomes active, the response is 410. Then start the list again.";
  const part = parts(limit, most, expiryText, fields);
  return {
    rubric: rubricParameter,
    page: part.page,
    limit: part.limit,
    sortBy: z
      .enum(sorts, `must be one of ${sorts.join(", ")}`)
      .default(sorts[0])
      .meta({
        description: "Sort key. Ties are sorted by id; nulls come last.",
        examples: [sorts[0]],
      }),
    sortOrder: z
      .enum(["asc", "desc"], "must be asc or desc")
      .default("asc")
      .meta({ description: "Sort order.", examples: ["asc"] }),
    cursor: part.cursor,
    ids: idsParameter(ids, MOST_NAMED),
    fields: part.fields,
  };
}

const RECORD_IDS: Ids = {
  id: "r[0-9a-f]{24}",
  wanted: "must be ids of records, joined by commas",
  example: "r1a613b3271281b736c4d1106,rfe033edf024c8af1f4201500",
};
const RESEARCHER_IDS: Ids = {
  id: "a[0-9a-f]{24}",
  wanted: "must be ids of researchers, joined by commas",
  example: "a3f0c7d1e9b2a4658c7d0e1f2",
};
const INSTITUTION_IDS: Ids = {
  id: "[0-9a-f]{64}",
  wanted: "must be ids of reported affiliations, joined by commas",
  example: "9b74c9897bac770ffc029102a200c5de5d6e2d0c1b7a5f3e4d8c6b0a19283746",
};
const COUNTRY_IDS: Ids = {
  id: "[A-Za-z]{3}",
  wanted: "must be codes of ISO 3166-1 alpha-3, joined by commas",
  example: "NOR,ITA",
};

const institutionParameter = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "must be the id of a reported affiliation")
  .optional()
  .meta({
    description: "Id of a reported affiliation of a creator, as in `/institutions`.",
    examples: [INSTITUTION_IDS.example],
  });

const SIGNAL = `(?:${SIGNAL_IDS.join("|")})`;
/** Pairs of a signal and a state, each signal once. */
const SIGNAL_STATES = (() => {
  const pair = `${SIGNAL}:(?:${STATES.join("|")})`;
  const pairs = `${pair}(?:,${pair}){0,${SIGNAL_IDS.length - 1}}`;
  // The length is bounded before the search for a repeated signal, which takes quadratic time.
  return new RegExp(`^(?=${pairs}$)(?!(?:.*,)?(${SIGNAL}):.*,\\1:).*$`);
})();

const PLAIN_TEXT =
  "Plain text without operators. All words must match; case and accents do not matter. A text without a letter or digit is ignored.";

export const noQuery = z.object({});

export const rubricQuery = z.object({ rubric: rubricParameter });

export const recordListQuery = z.object({
  ...paging(DEFAULT_LIMITS.records, 100, SORTS.records, RECORD_IDS, "id,doi,score.total"),
  search: text(LONGEST_SEARCH)
    .optional()
    .meta({
      description: `Full-text search on title and DOI. ${PLAIN_TEXT} A DOI matches exactly or as a prefix.`,
      examples: ["soil temperature"],
    }),
  identifier: text(512)
    .optional()
    .meta({
      description:
        "Persistent identifier: `<source>/<source-id>`, a DOI in any form, an accession, or the URL of a landing page. Identifiers of the same dataset at other sources match too. Any other text matches nothing.",
      examples: ["zenodo/99000075"],
    }),
  doi: text(LONGEST_DOI)
    .optional()
    .meta({
      description: "DOI in any form: bare, with `doi:`, as a URL, percent-encoded, in upper or lower case.",
      examples: ["10.5281/zenodo.99000075"],
    }),
  repository: text(LONGEST_LABEL)
    .optional()
    .meta({
      description: "Label of a repository. Upper and lower case only matter if a repository has exactly this label.",
      examples: ["Zenodo"],
    }),
  source: text(80)
    .optional()
    .meta({ description: "Name of the source that described the dataset, as in receipts.", examples: ["zenodo"] }),
  publishedFrom: date()
    .optional()
    .meta({
      description:
        "Earliest publication: a year, month or day. A record with only a year or month counts from its first day.",
      examples: ["2020"],
    }),
  publishedUntil: date()
    .optional()
    .meta({
      description: "Latest publication, inclusive: a year, month or day.",
      examples: ["2024-06"],
    }),
  license: text(LONGEST_LABEL)
    .optional()
    .meta({
      description: "Licence as in `license` of the record: the SPDX id, or else the source's own words.",
      examples: ["CC-BY-4.0"],
    }),
  countryCode: assignedCountryCode.optional().meta({
    description: "Country of an institution of a creator: ISO 3166-1 alpha-3 code, in upper or lower case.",
    examples: ["NOR"],
  }),
  institution: institutionParameter,
  ror: text(LONGEST_ORCID)
    .optional()
    .meta({
      description: "ROR id of a creator's affiliation, as the source states it, with or without `https://ror.org/`.",
      examples: ["https://ror.org/05gq02987"],
    }),
  funder: text(LONGEST_LABEL)
    .optional()
    .meta({
      description: "ROR id, Crossref Funder id or exact name of a funder, in upper or lower case.",
      examples: ["10.13039/501100000780"],
    }),
  award: text(LONGEST_LABEL)
    .optional()
    .meta({ description: "Number of an award or grant, in upper or lower case.", examples: ["101000000"] }),
  author: z
    .string()
    .regex(/^a[0-9a-f]{24}$/, "must be the id of a researcher")
    .optional()
    .meta({ description: "Id of a researcher, as in `/authors`.", examples: ["a3f0c7d1e9b2a4658c7d0e1f2"] }),
  recordKind: text(80)
    .optional()
    .meta({ description: "Record kind in the source's own words.", examples: ["Dataset"] }),
  disease: text(256)
    .optional()
    .meta({ description: "Exact public disease facet.", examples: ["Asthma"] }),
  ageGroup: text(120)
    .optional()
    .meta({ description: "Exact public age-group facet.", examples: ["ADULT"] }),
  dataType: text(256)
    .optional()
    .meta({ description: "Exact public data-type facet.", examples: ["INTERVENTIONAL"] }),
  accessStatus: text(80)
    .optional()
    .meta({ description: "Access state as the source reports it.", examples: ["open"] }),
  signals: z
    .string()
    .regex(SIGNAL_STATES, "must be pairs such as E1:absent, joined by commas, with each signal at most once")
    .optional()
    .meta({
      description: `Only records whose signals have these states, as \`<signal>:<state>\`, joined by commas. The states are ${STATES.join(", ")}.`,
      examples: ["E1:absent,R1:passed"],
    }),
  minScore: decimal(0, 100)
    .optional()
    .meta({ description: "Minimum total. Records without a total are excluded.", examples: [60] }),
  maxScore: decimal(0, 100)
    .optional()
    .meta({ description: "Maximum total. Records without a total are excluded.", examples: [80] }),
  minSupportedChecks: decimal(0, 25)
    .optional()
    .meta({ description: "Minimum number of signals that the source supports.", examples: [12] }),
});
export type RecordListQuery = z.infer<typeof recordListQuery>;

/** The version and the filters of `/records`, to select datasets without listing them. */
export const recordFilterQuery = recordListQuery
  .omit({ page: true, limit: true, sortBy: true, sortOrder: true, cursor: true, fields: true })
  .extend({ ids: idsParameter(RECORD_IDS, MOST_LOOKED_UP) });

/** The same for the datasets of one repository. */
export const repositoryFilterQuery = recordFilterQuery.omit({ repository: true });

export const authorListQuery = z.object({
  ...paging(DEFAULT_LIMITS.authors, 100, SORTS.authors, RESEARCHER_IDS, "id,name,sIndex"),
  search: text(LONGEST_SEARCH)
    .optional()
    .meta({
      description: `Search in researchers' names. ${PLAIN_TEXT} An ORCID iD in any form also matches. Among equal names, researchers with an ORCID iD come first, then those with more datasets.`,
      examples: ["Vance"],
    }),
  orcid: text(LONGEST_ORCID)
    .optional()
    .meta({
      description: "ORCID iD, with or without hyphens, or as a URL.",
      examples: ["0000-0005-1200-0216"],
    }),
  institution: institutionParameter,
  minSIndex: decimal(0, null)
    .optional()
    .meta({ description: "Minimum S-Index.", examples: [3] }),
  minDatasets: decimal(0, null)
    .optional()
    .meta({ description: "Minimum number of datasets.", examples: [5] }),
});
export type AuthorListQuery = z.infer<typeof authorListQuery>;

export const institutionListQuery = z.object({
  ...paging(DEFAULT_LIMITS.institutions, 100, SORTS.institutions, INSTITUTION_IDS, "id,label,meanScore"),
  search: text(240)
    .optional()
    .meta({
      description: `Search in the cleaned labels of reported affiliations. ${PLAIN_TEXT}`,
      examples: ["Norvale"],
    }),
  countryCode: assignedCountryCode
    .optional()
    .meta({ description: "ISO 3166-1 alpha-3 code, in upper or lower case.", examples: ["NOR"] }),
});
export type InstitutionListQuery = z.infer<typeof institutionListQuery>;

export const countryListQuery = z.object(
  paging(DEFAULT_LIMITS.geography, 250, SORTS.geography, COUNTRY_IDS, "countryCode,meanScore"),
);
export type CountryListQuery = z.infer<typeof countryListQuery>;

export const changeListQuery = z.object({
  rubric: rubricParameter,
  ...parts(
    DEFAULT_LIMITS.changes,
    100,
    "It works as long as the server has the release. A cursor of `latest` is 410 after another release becomes active.",
    "id,kind,points",
  ),
  kind: changeKind.optional().meta({
    description: "`added`, `moved` or `removed`; by default all three.",
    examples: ["removed"],
  }),
  reason: reason.optional().meta({
    description: "The reason why a record was added or removed, such as `tombstone` for a withdrawn record.",
    examples: ["tombstone"],
  }),
  repository: text(LONGEST_LABEL)
    .optional()
    .meta({ description: "Label of a repository, in the same case.", examples: ["Zenodo"] }),
  source: text(80)
    .optional()
    .meta({ description: "Name of a source, as in receipts.", examples: ["zenodo"] }),
});
export type ChangeListQuery = z.infer<typeof changeListQuery>;
