/**
 * The queries of the API (interface.md, "Shared list query parameters" and the filters; decisions.md, "Requests"). Each
 * schema parses the known parameters and applies defaults. The OpenAPI document contains the descriptions and limits.
 */

import { z } from "zod";
import { text } from "../text.ts";
import { changeKind, reason } from "./diff.ts";
import { defineParameters, FILTERS, idsOfRecords, type ListName, listSorts, MAX_LABEL_LENGTH } from "./lists.ts";
import { MAX_LOOKED_UP } from "./lookup.ts";
import { integer, rubricParameter } from "./parameters.ts";

/** Default number of rows on a page (interface.md, "Limits"). */
export const DEFAULT_LIMITS = { records: 10, authors: 10, institutions: 20, geography: 250, changes: 10 } as const;

const MAX_FIELDS_LENGTH = 4096;

/** Matches a cursor in base64url, or `*` for the first page. */
const CURSOR = /^(?:\*|[A-Za-z0-9_-]{1,128})$/;

/** The page that is returned if the request does not contain `page`. */
export const FIRST_PAGE = 1;

/**
 * Returns the parameters for pagination and `fields`. `expiryText` describes when a cursor expires. `fields` is an example.
 */
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
    fields: text(MAX_FIELDS_LENGTH)
      .optional()
      .meta({
        description:
          "The fields of a row, joined by commas, in any order; by default all. Name a nested field by its path, as in the CSV header: `score` is the whole score, `score.total` only the total.",
        examples: [fields],
      }),
  };
}

const SORT_WORDS: Readonly<Partial<Record<ListName, string>>> = {
  records:
    " Ties of `shareOfCap` are sorted by points and date first. `relevance` is for searches; descending, short titles come first.",
  authors:
    " `identity` has researchers with an ORCID iD first, and is then by name; those of the same name with more datasets come first.",
};

/** Returns all parameters of a list. `fields` is an example of the parameter `fields`. */
function parametersOfList<List extends ListName>(list: List, most: number, fields: string) {
  const expiryText = "If another release becomes active, the response is 410. Then start the list again.";
  const part = parts(DEFAULT_LIMITS[list], most, expiryText, fields);
  const sorts = listSorts(list);
  const { ids } = FILTERS[list];
  return {
    rubric: rubricParameter,
    page: part.page,
    limit: part.limit,
    sortBy: z
      .enum(sorts, `must be one of ${sorts.join(", ")}`)
      .default(sorts[0])
      .meta({
        description: `Sort key. Ties are sorted by id; nulls come last.${SORT_WORDS[list] ?? ""}`,
        examples: [sorts[0]],
      }),
    sortOrder: z
      .enum(["asc", "desc"], "must be asc or desc")
      .default("asc")
      .meta({ description: "Sort order.", examples: ["asc"] }),
    cursor: part.cursor,
    ids: ids.parameter,
    fields: part.fields,
  };
}

export const noQuery = z.object({});

export const rubricQuery = z.object({ rubric: rubricParameter });

export const recordListQuery = z.object({
  ...parametersOfList("records", 100, "id,doi,score.total"),
  ...defineParameters(FILTERS.records),
});
export type RecordListQuery = z.infer<typeof recordListQuery>;

/** The version and the filters of `/records`, for endpoints that select datasets without listing them. */
export const recordFilterQuery = recordListQuery
  .omit({ page: true, limit: true, sortBy: true, sortOrder: true, cursor: true, fields: true })
  .extend({ ids: idsOfRecords(MAX_LOOKED_UP) });

/**
 * The parameters of {@link recordFilterQuery} without the filter `repository`, for endpoints about the datasets of one
 * repository.
 */
export const repositoryFilterQuery = recordFilterQuery.omit({ repository: true });

export const authorListQuery = z.object({
  ...parametersOfList("authors", 100, "id,name,sIndex"),
  ...defineParameters(FILTERS.authors),
});

export const institutionListQuery = z.object({
  ...parametersOfList("institutions", 100, "id,label,meanScore"),
  ...defineParameters(FILTERS.institutions),
});

export const countryListQuery = z.object(parametersOfList("geography", 250, "countryCode,meanScore"));

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
  repository: text(MAX_LABEL_LENGTH)
    .optional()
    .meta({ description: "Label of a repository, in the same case.", examples: ["Zenodo"] }),
  source: text(80)
    .optional()
    .meta({ description: "Name of a source, as in receipts.", examples: ["zenodo"] }),
});
export type ChangeListQuery = z.infer<typeof changeListQuery>;
