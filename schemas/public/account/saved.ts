/**
 * Items that a user saves: records and authors, each with a note; repositories and searches; and emails about changes of
 * saved items.
 */

import { z } from "zod";
import { defineParameters, FILTERS, MAX_LABEL_LENGTH } from "../api/lists.ts";
import { recordId, recordRow } from "../api/record.ts";
import { researcherRow } from "../api/researcher.ts";
import { instant } from "../scalars.ts";
import { text } from "../text.ts";
import { researcherId } from "./claim.ts";
import { type AccountItem, defineEndpoints } from "./items.ts";
import { accountListQuery, defineAccountList, deleted } from "./list.ts";
import { EXAMPLE_MOMENTS, shape } from "./shape.ts";
import { authorSlug, idOfRecord, note, shownSlug } from "./texts.ts";

const KEPT = { note: "For the review.", savedAt: EXAMPLE_MOMENTS.begun, updatedAt: EXAMPLE_MOMENTS.later };

const noteToKeep = note
  .optional()
  .describe("Your note. Without this field, an earlier note stays; an empty note removes it.");

const savedRecordRequest = shape(
  "SaveRecordRequest",
  z
    .object(
      {
        recordId: idOfRecord,
        note: noteToKeep,
      },
      "must be a JSON object",
    )
    .describe("The record to save."),
  ({ record }) => ({ recordId: record.id, note: KEPT.note }),
);

const savedAuthorRequest = shape(
  "SaveAuthorRequest",
  z.object({ authorSlug, note: noteToKeep }, "must be a JSON object").describe("The researcher to save."),
  ({ researcher }) => ({ authorSlug: researcher.slug, note: KEPT.note }),
);

const saved = {
  note: z.string().nullable(),
  savedAt: instant.describe("The time when it was first saved."),
  updatedAt: instant.describe("The time when it was last saved."),
};

const savedRecord = shape(
  "SavedRecord",
  z
    .object({
      recordId: z.string(),
      ...saved,
      record: recordRow.nullable().describe("The record in the active release under SHARE 2.0, or null."),
    })
    .describe("A saved record."),
  ({ record }) => ({ recordId: record.id, ...KEPT, record }),
);
export type SavedRecord = z.infer<typeof savedRecord>;

const savedAuthor = shape(
  "SavedAuthor",
  z
    .object({
      authorId: researcherId.describe("Use it with DELETE."),
      authorSlug: shownSlug.describe("Their current slug; null if the researcher has opted out."),
      ...saved,
      researcher: researcherRow.nullable().describe("The researcher in the active release under SHARE 2.0, or null."),
    })
    .describe("A saved researcher."),
  ({ researcher }) => ({ authorId: researcher.id, authorSlug: researcher.slug, ...KEPT, researcher }),
);
export type SavedAuthor = z.infer<typeof savedAuthor>;

const EXAMPLE_RECORD = "r1a613b3271281b736c4d1106";

const savedRecordListQuery = accountListQuery.extend({
  recordId: recordId
    .optional()
    .meta({ description: "Only this record, by any of its ids.", examples: [EXAMPLE_RECORD] }),
});

const savedAuthorListQuery = accountListQuery.extend({
  authorId: researcherId
    .optional()
    .meta({ description: "Only this researcher.", examples: ["a3f6d5f0f6b6f37f3f3a1c1d5"] }),
});

const savedRecordList = defineAccountList("SavedRecordList", savedRecord);
const savedAuthorList = defineAccountList("SavedAuthorList", savedAuthor);

/** Returns the action that saves an item, which `what` names. Its button is shown again after a sign-in. */
const saving = <const Route extends string, const Field extends string>(route: Route, field: Field, what: string) =>
  ({
    route,
    returns: true,
    fields: [field],
    part: "saved",
    done: "Saved.",
    continued: { title: `Save this ${what}?`, button: "Save to your account" },
  }) as const;

/** Returns the action that changes the note of a saved item. Here an empty note removes the previous one. */
const noting = <const Route extends string, const Field extends string>(route: Route, field: Field) =>
  ({
    route,
    fields: [field, "note"],
    part: "saved",
    done: "Your note has been changed.",
    continued: { title: "Save this note?", button: "Save note" },
  }) as const;

const removing = <const Route extends string>(route: Route) =>
  ({ route, fields: ["id"], part: "saved", done: "Removed." }) as const;

export const savedRecordKey = {
  name: "recordId",
  schema: recordId,
  description: "Field `recordId` of a saved record.",
  example: EXAMPLE_RECORD,
  unknown: {
    problem: "not-saved",
    detail: "You have not saved this record. GET /account/saved-records lists those that you have.",
  },
} as const;
const recordEndpoints = defineEndpoints({
  path: "/account/saved-records",
  key: savedRecordKey,
  row: savedRecord,
  list: savedRecordList,
});

export const savedRecords = {
  words: "saved records",
  most: 10_000,
  overview: savedRecordList,
  exported: z.array(savedRecord.omit({ record: true })),
  page: "saved",
  routes: {
    "saved-records": {
      ...recordEndpoints.list(
        "List your saved records",
        "With your notes, newest first. Each record is as in the active release.",
      ),
      query: savedRecordListQuery,
    },
    "save-record": recordEndpoints.add(
      "Save a record",
      "If you already saved the record, this replaces the note. If the record was merged into another one, that one is saved.",
      savedRecordRequest,
      ["dataset-not-found", "account-full", "no-release"],
    ),
    "unsave-record": recordEndpoints.remove(
      "Remove a saved record",
      "You can use the id of the record, or the id of a record that was merged into it.",
    ),
  },
  actions: {
    "save-record": { ...saving("save-record", "recordId", "dataset"), optional: ["note"] },
    "note-record": noting("save-record", "recordId"),
    "unsave-record": removing("unsave-record"),
  },
} as const satisfies AccountItem;

export const authorIdKey = {
  name: "authorId",
  schema: researcherId,
  description: "Field `authorId` of a saved researcher.",
  example: "a3f6d5f0f6b6f37f3f3a1c1d5",
  unknown: {
    problem: "not-saved",
    detail: "You have not saved this researcher. GET /account/saved-authors lists those that you have.",
  },
} as const;
const authorEndpoints = defineEndpoints({
  path: "/account/saved-authors",
  key: authorIdKey,
  row: savedAuthor,
  list: savedAuthorList,
});

export const savedAuthors = {
  words: "saved authors",
  most: 10_000,
  overview: savedAuthorList,
  exported: z.array(savedAuthor.omit({ researcher: true })),
  page: "people",
  routes: {
    "saved-authors": {
      ...authorEndpoints.list(
        "List your saved researchers",
        "With your notes, newest first. Each researcher is as in the active release.",
      ),
      query: savedAuthorListQuery,
    },
    "save-author": authorEndpoints.add(
      "Save a researcher",
      "If you already saved the researcher, this replaces the note.",
      savedAuthorRequest,
      ["researcher-not-found", "account-full", "no-release"],
    ),
    "unsave-author": authorEndpoints.remove(
      "Remove a saved researcher",
      "The id is the field `authorId` of the saved researcher.",
    ),
  },
  actions: {
    "save-author": { ...saving("save-author", "authorSlug", "researcher"), optional: ["note"] },
    "note-author": noting("save-author", "authorSlug"),
    "unsave-author": removing("unsave-author"),
  },
} as const satisfies AccountItem;

/** The label of a repository, which is also its id. */
const repository = text(MAX_LABEL_LENGTH, 1).describe("Exact label of a repository.");

const savedRepositoryRequest = shape(
  "SaveRepositoryRequest",
  z.object({ repository }, "must be a JSON object").describe("The repository to save."),
  ({ record }) => ({ repository: record.repository ?? "Zenodo" }),
);

const savedRepository = shape(
  "SavedRepository",
  z.object({ repository: z.string(), savedAt: saved.savedAt }).describe("A saved repository."),
  ({ record }) => ({ repository: record.repository ?? "Zenodo", savedAt: KEPT.savedAt }),
);
export type SavedRepository = z.infer<typeof savedRepository>;

const savedRepositoryList = defineAccountList("SavedRepositoryList", savedRepository);

export const savedRepositoryKey = {
  name: "repository",
  // PostgreSQL cannot store texts with NUL.
  schema: text(MAX_LABEL_LENGTH).refine((label) => !label.includes("\0")),
  description: "Exact label of a saved repository, percent-encoded once.",
  example: "Zenodo",
  unknown: {
    problem: "not-saved",
    detail: "You have not saved this repository. GET /account/saved-repositories lists those that you have.",
  },
} as const;
const repositoryEndpoints = defineEndpoints({
  path: "/account/saved-repositories",
  key: savedRepositoryKey,
  row: savedRepository,
  list: savedRepositoryList,
});

export const savedRepositories = {
  words: "saved repositories",
  most: 100,
  overview: savedRepositoryList,
  exported: z.array(savedRepository),
  page: "repositories",
  routes: {
    "saved-repositories": repositoryEndpoints.list(
      "List your saved repositories",
      "Newest first. Their changes are in the emails about changes.",
    ),
    "save-repository": repositoryEndpoints.add(
      "Save a repository",
      "If you already saved the repository, nothing changes.",
      savedRepositoryRequest,
      ["repository-not-found", "account-full", "no-release"],
    ),
    "unsave-repository": repositoryEndpoints.remove(
      "Remove a saved repository",
      "The repository does not need to be in the active release.",
    ),
  },
  actions: {
    "save-repository": saving("save-repository", "repository", "repository"),
    "unsave-repository": removing("unsave-repository"),
  },
} as const satisfies AccountItem;

/**
 * Longest saved search in characters, which are ASCII. The limit must be below the 2,704 bytes that PostgreSQL can index.
 */
const MAX_SEARCH_LENGTH = 1000;

// Researchers are saved as items of their own, so that no saved search contains a researcher who has opted out.
const { ids: _ids, author: _author, spellings: _spellings, ...SEARCH_FILTERS } = FILTERS.records;
const searchQuery = z.strictObject(defineParameters(SEARCH_FILTERS));

/**
 * Returns the text in which filters of `/records` are saved, such as `repository=Zenodo&minScore=50`: only filters with a
 * value, in the order of the API. Returns null if there is no filter, if a name or value is not valid, or if the text is
 * too long.
 */
export function writeSavedSearch(filters: Readonly<Record<string, string>>): string | null {
  const given = Object.entries(filters).filter(([, value]) => value !== "");
  const parsed = searchQuery.safeParse(Object.fromEntries(given));
  if (!parsed.success || given.length === 0) return null;
  const entries = Object.entries(parsed.data).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const query = new URLSearchParams(entries).toString();
  return query.length > MAX_SEARCH_LENGTH ? null : query;
}

/** Returns the filters in the text of a saved search. Returns null if a name occurs twice. */
export function searchFiltersIn(query: string): Readonly<Record<string, string>> | null {
  const entries = [...new URLSearchParams(query)];
  const filters = Object.fromEntries(entries);
  return Object.keys(filters).length === entries.length ? filters : null;
}

const searchText = text(MAX_SEARCH_LENGTH, 1);

const savedSearchRequest = shape(
  "SaveSearchRequest",
  z
    .object(
      {
        query: searchText.describe("Filters of `/records`, except `ids` and `author`, as in a URL."),
      },
      "must be a JSON object",
    )
    .describe("The search to save. The datasets of an institution or a funder are a search too: `ror=…`, `funder=…`."),
  () => ({ query: EXAMPLE_SEARCH }),
);

const EXAMPLE_SEARCH = "funder=Elsewhere+Science+Fund";

const savedSearch = shape(
  "SavedSearch",
  z
    .object({ query: z.string().describe("The filters in the order of the API."), savedAt: saved.savedAt })
    .describe("A saved search."),
  () => ({ query: EXAMPLE_SEARCH, savedAt: KEPT.savedAt }),
);
export type SavedSearch = z.infer<typeof savedSearch>;

const savedSearchList = defineAccountList("SavedSearchList", savedSearch);

export const savedSearchKey = {
  name: "query",
  // PostgreSQL cannot store texts with NUL.
  schema: searchText.refine((query) => !query.includes("\0")),
  description: "Field `query` of a saved search, percent-encoded once.",
  example: EXAMPLE_SEARCH,
  unknown: {
    problem: "not-saved",
    detail: "You have not saved this search. GET /account/saved-searches lists those that you have.",
  },
} as const;
const searchEndpoints = defineEndpoints({
  path: "/account/saved-searches",
  key: savedSearchKey,
  row: savedSearch,
  list: savedSearchList,
});

/** Saved searches. The datasets of an institution or a funder are also saved as the search that finds them. */
export const savedSearches = {
  words: "saved searches",
  most: 100,
  overview: savedSearchList,
  exported: z.array(savedSearch),
  page: "searches",
  routes: {
    "saved-searches": searchEndpoints.list(
      "List your saved searches",
      "Newest first. The changes of their datasets are in the emails about changes.",
    ),
    "save-search": searchEndpoints.add(
      "Save a search, an institution or a funder",
      "If you already saved the search, nothing changes.",
      savedSearchRequest,
      ["account-full"],
    ),
    "unsave-search": searchEndpoints.remove("Remove a saved search", "The filters must be in the order of the list."),
  },
  actions: {
    "save-search": saving("save-search", "query", "search"),
    "unsave-search": removing("unsave-search"),
  },
} as const satisfies AccountItem;

const changeMails = shape(
  "ChangeMails",
  z
    .object({ since: instant.describe("The time when they were switched on.") })
    .describe("Emails about changes of what is saved: at most one after each release."),
  () => ({ since: EXAMPLE_MOMENTS.begun }),
);
export type ChangeMails = z.infer<typeof changeMails>;

/** Emails about changes: the only kind of item that an account has at most once. */
export const changeMailItem = {
  words: "emails about changes",
  most: null,
  overview: changeMails.nullable().describe("Null if the user gets no emails about changes."),
  exported: z.array(changeMails).describe("One item if the user gets emails about changes."),
  page: null,
  routes: {
    "start-change-mails": {
      method: "post",
      status: 201,
      path: "/account/change-mails",
      summary: "Get an email when saved items change",
      description:
        "After each release you get at most one email: the changes of your saved records, researchers, repositories and searches, the largest first, and their causes. Each email has a link that stops them. An account without an email address gets none.",
      answer: changeMails,
    },
    "stop-change-mails": {
      method: "delete",
      path: "/account/change-mails",
      summary: "Stop emails about changes",
      description: "If you get none, nothing changes.",
      answer: deleted,
    },
  },
  actions: {
    "start-change-mails": {
      route: "start-change-mails",
      fields: [],
      part: "saved",
      done: "After each release you get an email if something that you saved has changed.",
    },
    "stop-change-mails": {
      route: "stop-change-mails",
      fields: [],
      part: "saved",
      done: "You get no more emails about changes.",
    },
  },
} as const satisfies AccountItem;
