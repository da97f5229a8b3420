/** Queries of the addresses of pages: fields of forms, which browsers send empty where nothing was typed. */

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

/** Longest text of a field; the twin of the page is stricter, and says so. */
const LONGEST_FIELD = 2048;

const field = (description: string) => z.string().max(LONGEST_FIELD).default("").describe(description);

/** Parameters of the twin that are nothing for people: a page turns pages, and shows what it shows. */
const FOR_PROGRAMS: readonly string[] = ["cursor", "ids", "fields"];

/** Fields named like the parameters of the twin, which reads what was typed. */
function fieldsOf<Query extends z.ZodObject>({ shape }: Query) {
  const all: readonly (string & keyof Query["shape"])[] = Object.keys(shape);
  const names = all.filter((name) => !FOR_PROGRAMS.includes(name));
  return z.object(Object.fromEntries(names.map((name) => [name, field(`As the twin's \`${name}\`.`)])));
}

export const findQuery = z.object({ q: field("A DOI, an accession, an address, an ORCID iD, or words.") });

export const datasetsQuery = fieldsOf(recordListQuery).extend({
  order: field("What to order by, and in which direction."),
});
export const researchersQuery = fieldsOf(authorListQuery);
export const affiliationsQuery = fieldsOf(institutionListQuery);

export const rubricField = z.object({ rubric: field("As the twin's `rubric`.") });

export const versionOfStyle = z.object({ v: field("The version that a page names.") });

export const checkQuery = z.object({
  identifier: field("What is to be checked."),
  source: field("The repository a draft is meant for."),
});

export const signInQuery = z.object({ returnTo: field("Where to go afterwards: a path of this site.") });

export const accountQuery = z.object({
  done: field("What was done just now: words of the page."),
  claims: field("Page of the claims."),
  requests: field("Page of the requests to be hidden or shown."),
  saved: field("Page of the saved datasets."),
  people: field("Page of the saved researchers."),
  submitted: field("Page of the submissions."),
  measured: field("Page of the measurements."),
  places: field("Page of the places one is signed in at."),
});
export type AccountQuery = z.infer<typeof accountQuery>;

/** A score as one release had it: what the history of a dataset on its page is made of. */
export interface PastScore {
  readonly scoreReleaseVersion: string;
  readonly releaseDigest: string;
  readonly asOf: string;
  readonly contract: string;
  /** Null where it had none. */
  readonly total: number | null;
  readonly cap: number | null;
  /** Version of the reader of its source, where the release says. */
  readonly reader: number | null;
}
