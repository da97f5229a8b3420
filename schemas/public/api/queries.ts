/**
 * The queries of the API (interface.md, "Shared list query parameters" and the filters; decisions.md, "Requests").
 * Each schema reads the texts of known parameters and gives their values, defaults filled in; its descriptions and bounds
 * are what OpenAPI shows.
 */

import { z } from "zod";
import { PUBLIC_VERSIONS, publicVersion } from "../rubric.ts";
import { assignedCountryCode } from "./attribution.ts";

/** Rows a page of each list has unless asked otherwise (interface.md, "Limits"). */
export const DEFAULT_LIMITS = { records: 10, authors: 10, institutions: 20, geography: 250 } as const;

/** Fields a list can be ordered by; the first is its default order. Ties are broken by id ascending, nulls come last. */
export const SORTS = {
  records: [
    "id",
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
    "pubDate",
    "title",
  ],
  authors: ["name", "sIndex", "sImpact", "datasetCount", "avgScore", "maxScore", "shareScore"],
  institutions: ["label", "recordCount", "authorCount", "meanScore"],
  geography: ["countryCode", "recordCount", "meanScore"],
} as const;

const [PREFERRED] = PUBLIC_VERSIONS;

export const rubricParameter = publicVersion
  .default(PREFERRED)
  .meta({ description: "Public SHARE version of the scores.", examples: [PREFERRED] });

/** A number as JSON, and so every client, writes one; zeros before it change nothing. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

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

/** Longest label of a repository. */
const LONGEST_LABEL = 400;

function paging(limit: number, most: number, sorts: readonly [string, ...string[]]) {
  return {
    rubric: rubricParameter,
    page: wholeNumber(1, 10_000)
      .default(1)
      .meta({ description: "Number of the page; one past the end is empty.", examples: [1] }),
    limit: wholeNumber(1, most)
      .default(limit)
      .meta({ description: "Rows of a page.", examples: [limit] }),
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
  };
}

const PLAIN_TEXT =
  "Plain text: case and accents do not matter, all words must match, there are no operators. Without a letter or digit it is no filter.";

export const noQuery = z.object({});

export const rubricQuery = z.object({ rubric: rubricParameter });

export const recordListQuery = z.object({
  ...paging(DEFAULT_LIMITS.records, 100, SORTS.records),
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
  ...paging(DEFAULT_LIMITS.authors, 100, SORTS.authors),
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
  ...paging(DEFAULT_LIMITS.institutions, 100, SORTS.institutions),
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

export const countryListQuery = z.object(paging(DEFAULT_LIMITS.geography, 250, SORTS.geography));
export type CountryListQuery = z.infer<typeof countryListQuery>;
