/** Query parameters of the site's views. Browsers send empty form fields as empty texts. */

import { z } from "zod";
import { authorListQuery, institutionListQuery, recordListQuery } from "../api/queries.ts";

const suggestion = z.object({
  name: z.string(),
  note: z.string(),
  /** A path of this site. */
  path: z.string().startsWith("/"),
});
export type Suggestion = z.infer<typeof suggestion>;

export const suggestions = z.array(suggestion);

/** Longest text of a field. The API checks exact limits. */
const LONGEST_FIELD = 2048;

const field = (description: string) => z.string().max(LONGEST_FIELD).default("").describe(description);

/** Parameters of the API endpoint that the view does not have. */
const FOR_PROGRAMS: readonly string[] = ["cursor", "ids", "fields"];

/** Fields with the names of the API's parameters. The API parses them. */
function fieldsOf<Query extends z.ZodObject>({ shape }: Query) {
  const all: readonly (string & keyof Query["shape"])[] = Object.keys(shape);
  const names = all.filter((name) => !FOR_PROGRAMS.includes(name));
  return z.object(Object.fromEntries(names.map((name) => [name, field(`As the twin's \`${name}\`.`)])));
}

export const findQuery = z.object({ q: field("A DOI, an accession, a URL, an ORCID iD, or words.") });

export const datasetsQuery = fieldsOf(recordListQuery).extend({
  order: field("Sort key and sort order."),
  ids: z
    .string()
    .max(2 * LONGEST_FIELD)
    .default("")
    .describe("As the twin's `ids`."),
});
export const researchersQuery = fieldsOf(authorListQuery);
export const affiliationsQuery = fieldsOf(institutionListQuery);

export const rubricField = z.object({ rubric: field("As the twin's `rubric`.") });

/** A researcher's page, with one page of the list of datasets. */
export const researcherQuery = rubricField.extend({ page: field("Page of the datasets.") });

export const versionOfStyle = z.object({ v: field("The version of the stylesheet.") });

export const checkQuery = z.object({
  identifier: field("Identifier of the dataset to check."),
  source: field("The repository of the draft."),
});

export const signInQuery = z.object({ returnTo: field("The path of this site to return to.") });

export const accountQuery = z.object({
  done: field("The action that was just done."),
  claims: field("Page of the claims."),
  requests: field("Page of the visibility requests."),
  saved: field("Page of the saved datasets."),
  people: field("Page of the saved researchers."),
  submitted: field("Page of the submissions."),
  measured: field("Page of the measurements."),
  places: field("Page of the sessions."),
});
export type AccountQuery = z.infer<typeof accountQuery>;

/** The score of a dataset in one release, for its history. */
export interface PastScore {
  readonly scoreReleaseVersion: string;
  readonly releaseDigest: string;
  readonly asOf: string;
  readonly contract: string;
  /** Null without a total. */
  readonly total: number | null;
  readonly cap: number | null;
  /** Version of the source's reader; null if the release does not state it. */
  readonly reader: number | null;
}

/** The figures of a repository in one release, for its trend. */
export interface PastFigures {
  readonly scoreReleaseVersion: string;
  readonly releaseDigest: string;
  readonly asOf: string;
  readonly contract: string;
  readonly count: number;
  readonly meanScore: number | null;
  readonly meanCap: number | null;
}
