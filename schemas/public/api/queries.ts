/**
 * The queries of the API (interface.md, "Shared list query parameters" and the filters; decisions.md, "Requests").
 * Each schema reads the texts of known parameters and gives their values, defaults filled in; its descriptions and bounds
 * are what OpenAPI shows.
 */

import { z } from "zod";
import { LONGEST_WORDS } from "../record-columns.ts";
import { PUBLIC_VERSIONS, publicVersion } from "../rubric.ts";
import { assignedCountryCode } from "./attribution.ts";
import { changeKind, reason } from "./diff.ts";

/** Rows a page of each list has unless asked otherwise (interface.md, "Limits"). */
export const DEFAULT_LIMITS = { records: 10, authors: 10, institutions: 20, geography: 250, changes: 10 } as const;

/** Orders by score: of a record its total and buckets, of a researcher the means of these over their datasets. */
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

/** Fields a list can be ordered by; the first is its default order. Ties are broken by id ascending, nulls come last. */
export const SORTS = {
  records: ["id", ...SCORE_SORTS, "pubDate", "title"],
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

/** A number as JSON, and so every client, writes one; zeros before it change nothing, and none is needed before the point. */
const NUMBER = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Longer texts are nobody's number. */
const LONGEST_NUMBER = 64;

/** interface.md: `number`. `most` null where nothing bounds it. */
function decimal(least: number, most: number | null, wanted = "must be a number such as 70 or 70.5") {
  const number = z.number(wanted).min(least, `must be at least ${least}`);
  return z
    .string()
    .refine((text) => text.length <= LONGEST_NUMBER && NUMBER.test(text), { error: wanted, abort: true })
    .transform(Number)
    .pipe(most === null ? number : number.max(most, `must be at most ${most}`));
}

/** A number without a fraction, in whatever way it is written: there are no halves of pages and rows. */
function wholeNumber(least: number, most: number) {
  const wanted = `must be a whole number from ${least} to ${most}`;
  return decimal(least, most, wanted).pipe(z.int(wanted).min(least).max(most));
}

function text(most: number) {
  return z.string().max(most, `must have at most ${most} characters`);
}

/** Longest plain-text search of a list that interface.md does not bound. */
const LONGEST_SEARCH = 512;

/** Longest DOI, in any spelling. */
const LONGEST_DOI = 2048;

/** Longest ORCID iD, in any spelling. */
const LONGEST_ORCID = 200;

/** Longest label of a repository, in UTF-16 units: a character takes up to two. */
export const LONGEST_LABEL = 2 * LONGEST_WORDS;

/** What `ids` of a list takes: the ids of its rows, joined by commas. */
interface Ids {
  readonly pattern: RegExp;
  readonly wanted: string;
  readonly example: string;
}

/** Ids, or fields, that one request can name. */
export const MOST_NAMED = 100;

/** A list of all its fields, in full, is no longer. */
const LONGEST_FIELDS = 4096;

/** `*`, or what only the server makes: the characters of base64url. */
const CURSOR = /^(?:\*|[A-Za-z0-9_-]{1,128})$/;

/** How much of a list is given, and where it goes on. `stays`: what makes a cursor worthless; `fields`: an example. */
function parts(limit: number, most: number, stays: string, fields: string) {
  return {
    page: wholeNumber(1, 10_000)
      .default(1)
      // Without an example: a client that sends every example would send it beside the cursor.
      .meta({ description: "Number of the page; one past the end is empty." }),
    limit: wholeNumber(1, most)
      .default(limit)
      .meta({ description: "Rows of a page.", examples: [limit] }),
    cursor: z
      .string()
      .regex(CURSOR, "must be * or a nextCursor as it was given")
      .optional()
      .meta({
        description: `In place of \`page\`, to read a list of any length in order: \`*\` to begin, then \`pagination.nextCursor\` of each answer until it is null. It goes on where the answer before ended, in the same release; everything but \`limit\` and \`fields\` has to stay as it was. ${stays}`,
        examples: ["*"],
      }),
    fields: text(LONGEST_FIELDS)
      .optional()
      .meta({
        description:
          "The members of a row to answer with, joined by commas, in any order; all of them where it is left out. A member of a member is named by its path, as in the header line of CSV: `score` is all of the score, `score.total` the total alone.",
        examples: [fields],
      }),
  };
}

function paging(limit: number, most: number, sorts: readonly [string, ...string[]], ids: Ids, fields: string) {
  const stays = "Once another release is active it is 410, and the list is to be begun again.";
  const part = parts(limit, most, stays, fields);
  return {
    rubric: rubricParameter,
    page: part.page,
    limit: part.limit,
    sortBy: z
      .enum(sorts, `must be one of ${sorts.join(", ")}`)
      .default(sorts[0])
      .meta({
        description: "Field to order by; ties are broken by id ascending, nulls come last.",
        examples: [sorts[0]],
      }),
    sortOrder: z
      .enum(["asc", "desc"], "must be asc or desc")
      .default("asc")
      .meta({ description: "Direction of the order.", examples: ["asc"] }),
    cursor: part.cursor,
    ids: z
      .string()
      .regex(ids.pattern, ids.wanted)
      .refine((text) => text.split(",").length <= MOST_NAMED, `must have at most ${MOST_NAMED} ids`)
      .optional()
      .meta({
        description: `The rows of these, up to ${MOST_NAMED} at once, joined by commas; those that nothing has are not among the answer's. \`limit\` is ${MOST_NAMED} then, unless it is given.`,
        examples: [ids.example],
      }),
    fields: part.fields,
  };
}

const RECORD_IDS: Ids = {
  pattern: /^r[0-9a-f]{24}(?:,r[0-9a-f]{24})*$/,
  wanted: "must be ids of records, joined by commas",
  example: "r1a613b3271281b736c4d1106,rfe033edf024c8af1f4201500",
};
const RESEARCHER_IDS: Ids = {
  pattern: /^a[0-9a-f]{24}(?:,a[0-9a-f]{24})*$/,
  wanted: "must be ids of researchers, joined by commas",
  example: "a3f0c7d1e9b2a4658c7d0e1f2",
};
const INSTITUTION_IDS: Ids = {
  pattern: /^[0-9a-f]{64}(?:,[0-9a-f]{64})*$/,
  wanted: "must be ids of reported affiliations, joined by commas",
  example: "9b74c9897bac770ffc029102a200c5de5d6e2d0c1b7a5f3e4d8c6b0a19283746",
};
const COUNTRY_IDS: Ids = {
  pattern: /^[A-Za-z]{3}(?:,[A-Za-z]{3})*$/,
  wanted: "must be codes of ISO 3166-1 alpha-3, joined by commas",
  example: "NOR,ITA",
};

const PLAIN_TEXT =
  "Plain text: case and accents do not matter, all words must match, there are no operators. Without a letter or digit it is no filter.";

export const noQuery = z.object({});

export const rubricQuery = z.object({ rubric: rubricParameter });

export const recordListQuery = z.object({
  ...paging(DEFAULT_LIMITS.records, 100, SORTS.records, RECORD_IDS, "id,doi,score.total"),
  search: text(LONGEST_SEARCH)
    .optional()
    .meta({
      description: `Full-text search on title and DOI. ${PLAIN_TEXT} A term that looks like a DOI matches DOIs exactly or by prefix.`,
      examples: ["soil temperature"],
    }),
  identifier: text(512)
    .optional()
    .meta({
      description:
        "Persistent identifier: `<source>/<source-id>`, a DOI in any of its spellings, an accession, or the address of a landing page. Identifiers of the same dataset at other sources match too; what is no identifier matches nothing.",
      examples: ["zenodo/99000075"],
    }),
  doi: text(LONGEST_DOI)
    .optional()
    .meta({
      description: "DOI, in any of its spellings: bare, `doi:`, as an address, percent-encoded, in any case.",
      examples: ["10.5281/zenodo.99000075"],
    }),
  repository: text(LONGEST_LABEL)
    .optional()
    .meta({ description: "Label of a repository, in any case.", examples: ["Zenodo"] }),
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
  minScore: decimal(0, 100)
    .optional()
    .meta({ description: "Least total; leaves out failed records.", examples: [60] }),
  maxScore: decimal(0, 100)
    .optional()
    .meta({ description: "Greatest total; leaves out failed records.", examples: [80] }),
  minSupportedChecks: decimal(0, 25)
    .optional()
    .meta({ description: "Least number of signals the source's pledge supports.", examples: [12] }),
});
export type RecordListQuery = z.infer<typeof recordListQuery>;

export const authorListQuery = z.object({
  ...paging(DEFAULT_LIMITS.authors, 100, SORTS.authors, RESEARCHER_IDS, "id,name,sIndex"),
  search: text(LONGEST_SEARCH)
    .optional()
    .meta({
      description: `Search in researchers' names. ${PLAIN_TEXT} An ORCID iD, in any of its spellings, finds whoever has it.`,
      examples: ["Vance"],
    }),
  orcid: text(LONGEST_ORCID)
    .optional()
    .meta({
      description: "ORCID iD, in any of its spellings: with or without hyphens, or as an address.",
      examples: ["0000-0005-1200-0216"],
    }),
  minSIndex: decimal(0, null)
    .optional()
    .meta({ description: "Least S-Index.", examples: [3] }),
  minDatasets: decimal(0, null)
    .optional()
    .meta({ description: "Least number of datasets.", examples: [5] }),
});
export type AuthorListQuery = z.infer<typeof authorListQuery>;

export const institutionListQuery = z.object({
  ...paging(DEFAULT_LIMITS.institutions, 100, SORTS.institutions, INSTITUTION_IDS, "id,label,meanScore"),
  search: text(240)
    .optional()
    .meta({
      description: `Search in the sanitised labels of reported affiliations. ${PLAIN_TEXT}`,
      examples: ["Norvale"],
    }),
  countryCode: assignedCountryCode
    .optional()
    .meta({ description: "ISO 3166-1 alpha-3 code, in any case.", examples: ["NOR"] }),
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
    "It stays good for as long as the release is there; one that `latest` was asked with is 410 once another release is active.",
    "id,kind,points",
  ),
  kind: changeKind.optional().meta({
    description: "`added`, `moved` or `removed`; all three where it is left out.",
    examples: ["removed"],
  }),
  reason: reason.optional().meta({
    description: "The reason that a record came or went: `tombstone` for what was withdrawn at its source.",
    examples: ["tombstone"],
  }),
  source: text(80)
    .optional()
    .meta({ description: "Name of a source, as receipts have it.", examples: ["zenodo"] }),
});
export type ChangeListQuery = z.infer<typeof changeListQuery>;
