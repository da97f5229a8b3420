/** Saved records and researchers, with notes, and saved repositories and searches. */

import type { Selectable } from "kysely";
import { repositoryKey } from "../../api-static/routes/route.ts";
import {
  authorIdKey,
  type SavedAuthor,
  type SavedRecord,
  type SavedRepository,
  type SavedSearch,
  type savedAuthors,
  savedRecordKey,
  type savedRecords,
  type savedRepositories,
  savedRepositoryKey,
  type savedSearches,
  savedSearchKey,
  searchFiltersIn,
  writeSavedSearch,
} from "../../schemas/public/account/saved.ts";
import { recordId } from "../../schemas/public/api/record.ts";
import { ProblemError } from "../http/response.ts";
import { type BodyOf, type Handlers, unknownKey } from "../http/routes.ts";
import type { ActiveRelease } from "../read/active-release.ts";
import {
  type AccountServices,
  makeItemHandlers,
  ownRows,
  requireFreePlace,
  type StoredItems,
  textOrNull,
  withLockedAccount,
} from "./items.ts";
import { findResearcher, hiddenAmong, recordRows, researcherRows } from "./researchers.ts";
import type { AccountTables } from "./tables.ts";

type SavedRow = Selectable<AccountTables["saved_record"]>;

export const SAVED_RECORDS: StoredItems<SavedRow, SavedRecord> = {
  item: "savedRecords",
  table: "saved_record",
  order: ["saved_at", "record_id"],
  key: savedRecordKey,
  listIds: (id, { active }) => sameRecord(id, active),
  show: async (rows, { active }) => {
    const ids = rows.map(({ record_id: id }) => id);
    const records = await recordRows(active, ids);
    return rows.map((row) => ({ ...storedRecord(row), record: records.get(row.record_id) ?? null }));
  },
  exportItems: (rows) => rows.map(storedRecord),
};

function storedRecord(row: SavedRow): Omit<SavedRecord, "record"> {
  return { recordId: row.record_id, note: row.note, savedAt: row.saved_at, updatedAt: row.updated_at };
}

export function savedRecordHandlers(services: AccountServices): Handlers<keyof typeof savedRecords.routes> {
  const { list, add, remove } = makeItemHandlers(SAVED_RECORDS, services);
  return {
    "saved-records": ({ query: { recordId: id, ...query }, signed }) => list({ query: { ...query, id }, signed }),
    "save-record": add(saveRecord),
    "unsave-record": remove,
  };
}

/**
 * Saves a record for an account, or updates its note if the record is already saved.
 * @throws ProblemError `dataset-not-found`, `account-full`
 */
async function saveRecord(
  accountId: string,
  { recordId: requestedId, note }: BodyOf<"save-record">,
  { accounts, active, now }: AccountServices,
): Promise<SavedRow> {
  const recordId = await listedRecord(requestedId, active);
  const ids = await sameRecord(recordId, active);
  const at = now().toISOString();
  return withLockedAccount(accounts, accountId, async (trx) => {
    const again = await trx
      .updateTable("saved_record")
      .set({ updated_at: at, ...replacedNote(note) })
      .where("account_id", "=", accountId)
      .where("record_id", "in", ids)
      .returningAll()
      .execute();
    // The row may have an earlier ID of the record.
    const stored = again.find((row) => row.record_id === recordId) ?? again[0];
    if (stored !== undefined) return stored;
    await requireFreePlace(trx, SAVED_RECORDS, accountId);
    const row = { account_id: accountId, record_id: recordId, note: textOrNull(note), saved_at: at, updated_at: at };
    return trx.insertInto("saved_record").values(row).returningAll().executeTakeFirstOrThrow();
  });
}

/** Returns the column to update with the note of a request. Without a note, returns no column, so the earlier note stays. */
function replacedNote(sent: string | undefined): { note?: string | null } {
  return sent === undefined ? {} : { note: textOrNull(sent) };
}

/**
 * Returns the ID under which the active release lists a dataset. For an alias, it is the ID of the record that
 * superseded it.
 * @throws ProblemError `dataset-not-found`, `no-release`
 */
async function listedRecord(id: string, active: ActiveRelease): Promise<string> {
  const fate = await active.use(async ({ lookups }) =>
    recordId.safeParse(id).success ? lookups.recordFate(id) : ({ fate: "unknown" } as const),
  );
  if (fate.fate === "listed") return id;
  if (fate.fate === "alias") return fate.winner;
  throw new ProblemError(
    "dataset-not-found",
    "The current release does not list a dataset with this ID. GET /records lists all IDs.",
  );
}

/** Returns all IDs of a record in the active release; only `id` if the record is unknown or there is no release. */
async function sameRecord(id: string, active: ActiveRelease): Promise<string[]> {
  if (active.digest === null) return [id];
  const known = await active.use(({ lookups }) => lookups.sameRecord(id));
  return [...new Set([id, ...known])];
}

type SavedAuthorRow = Selectable<AccountTables["saved_author"]>;

/** How saved researchers are stored and listed. The item of a hidden researcher stays, with its note but no name. */
export const SAVED_AUTHORS: StoredItems<SavedAuthorRow, SavedAuthor> = {
  item: "savedAuthors",
  table: "saved_author",
  order: ["saved_at", "researcher_id"],
  key: authorIdKey,
  show: async (rows, { accounts, active }) => {
    const ids = rows.map(({ researcher_id: id }) => id);
    const hidden = await hiddenAmong(accounts.db, ids);
    const researchers = await researcherRows(
      active,
      ids.filter((id) => !hidden.has(id)),
    );
    return rows.map((row) => {
      const researcher = researchers.get(row.researcher_id) ?? null;
      const stored = storedAuthor(row, hidden);
      return { ...stored, authorSlug: researcher?.slug ?? stored.authorSlug, researcher };
    });
  },
  exportItems: async (rows, { accounts }) => {
    const ids = rows.map(({ researcher_id: id }) => id);
    const hidden = await hiddenAmong(accounts.db, ids);
    return rows.map((row) => storedAuthor(row, hidden));
  },
};

function storedAuthor(row: SavedAuthorRow, hidden: ReadonlySet<string>): Omit<SavedAuthor, "researcher"> {
  return {
    authorId: row.researcher_id,
    authorSlug: hidden.has(row.researcher_id) ? null : row.slug,
    note: row.note,
    savedAt: row.saved_at,
    updatedAt: row.updated_at,
  };
}

export function savedAuthorHandlers(services: AccountServices): Handlers<keyof typeof savedAuthors.routes> {
  const { list, add, remove } = makeItemHandlers(SAVED_AUTHORS, services);
  return {
    "saved-authors": ({ query: { authorId: id, ...query }, signed }) => list({ query: { ...query, id }, signed }),
    "save-author": add(saveAuthor),
    "unsave-author": remove,
  };
}

/**
 * Saves a researcher for an account, or updates the note if the researcher is already saved.
 * @throws ProblemError `researcher-not-found`, `account-full`
 */
async function saveAuthor(
  accountId: string,
  { authorSlug, note }: BodyOf<"save-author">,
  services: AccountServices,
): Promise<SavedAuthorRow> {
  const { id, slug } = await findResearcher(authorSlug, services);
  const at = services.now().toISOString();
  return withLockedAccount(services.accounts, accountId, async (trx) => {
    const again = await trx
      .updateTable("saved_author")
      .set({ slug, updated_at: at, ...replacedNote(note) })
      .where("account_id", "=", accountId)
      .where("researcher_id", "=", id)
      .returningAll()
      .executeTakeFirst();
    if (again !== undefined) return again;
    await requireFreePlace(trx, SAVED_AUTHORS, accountId);
    const owner = { account_id: accountId, researcher_id: id, slug };
    const row = { ...owner, note: textOrNull(note), saved_at: at, updated_at: at };
    return trx.insertInto("saved_author").values(row).returningAll().executeTakeFirstOrThrow();
  });
}

type SavedRepositoryRow = Selectable<AccountTables["saved_repository"]>;

export const SAVED_REPOSITORIES = {
  item: "savedRepositories",
  table: "saved_repository",
  order: ["saved_at", "repository"],
  key: savedRepositoryKey,
  show: (rows) => rows.map(({ repository, saved_at: savedAt }) => ({ repository, savedAt })),
} as const satisfies StoredItems<SavedRepositoryRow, SavedRepository>;

export function savedRepositoryHandlers(services: AccountServices): Handlers<keyof typeof savedRepositories.routes> {
  const { list, add, remove } = makeItemHandlers<SavedRepositoryRow, SavedRepository>(SAVED_REPOSITORIES, services);
  return { "saved-repositories": list, "save-repository": add(saveRepository), "unsave-repository": remove };
}

/**
 * Saves a repository for an account. If it is already saved, nothing changes.
 * @throws ProblemError `repository-not-found`, `account-full`
 */
async function saveRepository(
  accountId: string,
  { repository }: BodyOf<"save-repository">,
  { accounts, active, now }: AccountServices,
): Promise<SavedRepositoryRow> {
  await requireRepository(repository, active);
  const row = { account_id: accountId, repository, saved_at: now().toISOString() };
  return saveOnce(SAVED_REPOSITORIES, repository, row, accounts);
}

/**
 * Inserts a row with this ID, or returns the row that the account already has.
 * @throws ProblemError `account-full`
 */
function saveOnce<Row extends SavedRepositoryRow | SavedSearchRow>(
  items: StoredItems<Row, object> & { readonly table: "saved_repository" | "saved_search" },
  id: string,
  row: Row,
  accounts: AccountServices["accounts"],
): Promise<Row> {
  return withLockedAccount(accounts, row.account_id, async (trx) => {
    const [known] = await ownRows(trx, items, row.account_id, { ids: [id] });
    if (known !== undefined) return known;
    await requireFreePlace(trx, items, row.account_id);
    await trx.insertInto(items.table).values(row).execute();
    return row;
  });
}

/**
 * Checks that the active release has a repository with this label.
 * @throws ProblemError `repository-not-found`, `no-release`
 */
async function requireRepository(label: string, active: ActiveRelease): Promise<void> {
  const rows = await active.use(({ engine }) =>
    engine.rows("select 1 from repository where repository = $label limit 1", { label }),
  );
  if (rows.length === 0) throw unknownKey(repositoryKey);
}

type SavedSearchRow = Selectable<AccountTables["saved_search"]>;

export const SAVED_SEARCHES = {
  item: "savedSearches",
  table: "saved_search",
  order: ["saved_at", "query"],
  key: savedSearchKey,
  show: (rows) => rows.map(({ query, saved_at: savedAt }) => ({ query, savedAt })),
} as const satisfies StoredItems<SavedSearchRow, SavedSearch>;

export function savedSearchHandlers(services: AccountServices): Handlers<keyof typeof savedSearches.routes> {
  const { list, add, remove } = makeItemHandlers<SavedSearchRow, SavedSearch>(SAVED_SEARCHES, services);
  return { "saved-searches": list, "save-search": add(saveSearch), "unsave-search": remove };
}

/**
 * Saves a search for an account. If it is already saved, nothing changes.
 * @throws ProblemError `invalid-body`, `account-full`
 */
async function saveSearch(
  accountId: string,
  { query: sent }: BodyOf<"save-search">,
  { accounts, now }: AccountServices,
): Promise<SavedSearchRow> {
  const query = writeSavedSearch(searchFiltersIn(sent) ?? {});
  if (query === null) {
    const message = "must be filters of /records, except ids and author, such as funder=Elsewhere+Science+Fund";
    throw new ProblemError("invalid-body", `The request is malformed: query: ${message}.`, {
      errors: [{ path: "query", message }],
    });
  }
  const row = { account_id: accountId, query, saved_at: now().toISOString() };
  return saveOnce(SAVED_SEARCHES, query, row, accounts);
}
