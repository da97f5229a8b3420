/** Query parameters of the views of the site. Browsers send an empty form field as an empty text. */

import { z } from "zod";
import type { AccountAction } from "../account/items.ts";
import { ACCOUNT_ACTIONS, ACCOUNT_ITEMS } from "../account/me.ts";
import type { ChangeRow } from "../api/changes.ts";
import type { Cause } from "../api/diff.ts";
import { FACET_NAMES } from "../api/lists.ts";
import { authorListQuery, institutionListQuery, recordListQuery } from "../api/queries.ts";

export const SUGGESTION_GROUPS = [
  ...["Datasets", "Researchers", "Repositories", "Institutions", "Funders"],
  ...["Awards", "Countries", "Signals", "Help", "Did you mean"],
] as const;

const suggestion = z.object({
  group: z.enum(SUGGESTION_GROUPS),
  name: z.string(),
  note: z.string(),
  /** A path on this site. */
  path: z.string().startsWith("/"),
});
export type Suggestion = z.infer<typeof suggestion>;

export const suggestions = z.array(suggestion);

/** Longest text of a field in characters. The API checks the exact limits. */
const MAX_FIELD_LENGTH = 2048;

const field = (description: string) => z.string().max(MAX_FIELD_LENGTH).default("").describe(description);

/** Parameters of API endpoints that the views do not have, because only programs use them. */
const FOR_PROGRAMS: readonly string[] = ["cursor", "ids", "fields"];

/**
 * Returns fields with the names of the API's parameters. Their values can be any text here, because the API parses them.
 */
function defineFields<Query extends z.ZodObject>({ shape }: Query) {
  const all: readonly (string & keyof Query["shape"])[] = Object.keys(shape);
  const names = all.filter((name) => !FOR_PROGRAMS.includes(name));
  return z.object(Object.fromEntries(names.map((name) => [name, field(`As the twin's \`${name}\`.`)])));
}

export const findQuery = z.object({ q: field("A DOI, an accession, a URL, an ORCID iD, or words.") });

export const datasetsQuery = defineFields(recordListQuery).extend({
  order: field("Sort key and sort order."),
  ids: z
    .string()
    .max(2 * MAX_FIELD_LENGTH)
    .default("")
    .describe("As the twin's `ids`."),
});
/**
 * Parameters of the view of datasets. `q`, the usual name for a search, redirects to `search`. `valuesOf` and `valuesWith`
 * search among the values of a facet.
 */
export const datasetsViewQuery = datasetsQuery.extend({
  q: field("As `search`."),
  valuesOf: z
    .literal(["", ...FACET_NAMES])
    .default("")
    .describe("A facet, of which `valuesWith` finds values."),
  valuesWith: field("Words of the values of a facet."),
});
export const researchersQuery = defineFields(authorListQuery);
export const affiliationsQuery = defineFields(institutionListQuery);

export const fundersQuery = z.object({
  search: field("Words of the name of a funder."),
  page: field("Page of the list."),
});

export const rubricField = z.object({ rubric: field("As the twin's `rubric`.") });

/** Parameters of a researcher's page. It shows one page of the list of datasets. */
export const researcherQuery = rubricField.extend({
  page: field("Page of the datasets."),
  order: field("Sort key and sort order of the datasets."),
});

/**
 * Largest number of selected datasets in a request, which is more than a list has rows on a page. `/compare` compares fewer
 * of them, and explains this.
 */
const MAX_SELECTED = 250;

const selected = (description: string) =>
  z
    .array(z.string().max(MAX_FIELD_LENGTH))
    .max(MAX_SELECTED, `must be given at most ${MAX_SELECTED} times`)
    .default([])
    .describe(description);

export const compareQuery = rubricField.extend({
  dataset: selected("A dataset, by any of its identifiers. Can be repeated."),
  repository: selected("Label of a repository. Can be repeated."),
});

export const versionOfStyle = z.object({ v: field("The version of the stylesheet.") });

export const checkQuery = z.object({
  identifier: field("Identifier of the dataset to check."),
  source: field("The repository of the draft."),
});

export const checkJobQuery = z.object({ left: field("Checks that were possible after this one.") });

export const reportQuery = z.object({ page: field("The path of the page.") });

export const signInQuery = z.object({ returnTo: field("The path of this site to return to.") });

const fieldsNamed = (names: readonly string[], description: string): Record<string, ReturnType<typeof field>> =>
  Object.fromEntries(names.map((name) => [name, field(description)]));

/** Parameters of the account view. For each list, there is a parameter that selects the page of this list. */
export const accountQuery = z.object({
  ...fieldsNamed(
    Object.values(ACCOUNT_ITEMS).flatMap(({ page }) => page ?? []),
    "Page of a list.",
  ),
  done: field("The action that was just done."),
  places: field("Page of the sessions."),
});

/** Fields of the form for an API key. This form is not in `ACCOUNT_ACTIONS`. */
const KEY_FIELDS = ["name", "email", "description"];

/** Fields of a form that was sent without a session. The action continues after the sign-in. */
export const continueQuery = z.object({
  ...fieldsNamed(
    Object.values(ACCOUNT_ACTIONS)
      .flatMap(({ fields, optional = [], continued }: AccountAction) => (continued ? [...fields, ...optional] : []))
      .concat(KEY_FIELDS),
    "As in the form.",
  ),
  do: field("The action."),
  from: field("The path of the page with the form."),
});

/** One entry in the history of a dataset: its score in one release. */
export interface PastScore {
  readonly scoreReleaseVersion: string;
  readonly releaseDigest: string;
  readonly asOf: string;
  readonly contract: string;
  /** The total; null if the record has no total in this release. */
  readonly total: number | null;
  readonly cap: number | null;
  /** The name of the source of the record, for example `Zenodo`; null if the page of an old release does not have it. */
  readonly source: string | null;
  /** Version of the reader of the source; null if the release does not contain it. */
  readonly reader: number | null;
}

/** One entry in the trend of a repository: its figures in one release. */
export interface PastFigures {
  readonly scoreReleaseVersion: string;
  readonly releaseDigest: string;
  readonly asOf: string;
  readonly contract: string;
  readonly count: number;
  readonly meanScore: number | null;
  readonly meanCap: number | null;
  /** Number of scored datasets by total. Empty if the format of the release lacks it. */
  readonly totalDistribution: Readonly<Record<string, number>>;
}

/** The changes that one release made to a selection of datasets. */
export interface Movement {
  readonly scoreReleaseVersion: string;
  readonly releaseDigest: string;
  readonly publishedAt: string;
  readonly previousVersion: string;
  /** The public version under which the datasets are scored. */
  readonly rubric: string;
  readonly added: number;
  readonly removed: number;
  readonly up: number;
  readonly down: number;
  /** Number of all changed datasets, including those whose total is the same. */
  readonly all: number;
  /** Numbers of datasets by cause, the most frequent first. A dataset with several causes counts once under each. */
  readonly byCause: readonly { readonly cause: Cause; readonly datasets: number }[];
  /** The changed datasets, the largest change first. */
  readonly largest: readonly ChangeRow[];
  /**
   * The S-Index of the selected researcher before and after; null if it did not change, or if no researcher is selected.
   */
  readonly sIndex: { readonly before: number; readonly after: number } | null;
}
