/** Saved records and researchers, with notes, and saved repositories. */

import type { Selectable } from "kysely";
import { authorIdKey, savedRecordKey, savedRepositoryKey } from "../../api-static/routes/account-routes.ts";
import { repositoryKey } from "../../api-static/routes/route.ts";
import type { AccountListQuery } from "../../schemas/public/account/list.ts";
import type {
  SavedAuthor,
  SavedRecord,
  SavedRecordListQuery,
  SavedRepository,
} from "../../schemas/public/account/saved.ts";
import { recordId } from "../../schemas/public/api/record.ts";
import {
  type ListPart,
  listPartOf,
  offsetOf,
  ProblemError,
  respond,
  respondCreated,
  respondDeleted,
} from "../http/response.ts";
import { type BodyOf, type Handlers, unknownKey } from "../http/routes.ts";
import type { ActiveRelease } from "../read/active-release.ts";
import {
  type AccountServices,
  countOf,
  noteOf,
  replacedNote,
  requireFreePlace,
  withLockedAccount,
} from "./account-rows.ts";
import type { Accounts } from "./database.ts";
import { findResearcher, hiddenAmong, recordRows, researcherRows } from "./researchers.ts";
import type { AccountTables } from "./tables.ts";

type SavedRow = Selectable<AccountTables["saved_record"]>;
type SavedServices = Pick<AccountServices, "accounts" | "active" | "now">;

export function savedRecordHandlers(
  context: SavedServices,
): Handlers<"saved-records" | "save-record" | "unsave-record"> {
  return {
    "saved-records": ({ signed: { accountId }, query }) => respond(listSavedRecords(accountId, query, context)),
    "save-record": ({ signed: { accountId }, body }) => respondCreated(saveRecord(accountId, body, context)),
    "unsave-record": ({ signed: { accountId }, key }) => respondDeleted(deleteSavedRecord(accountId, key, context)),
  };
}

/**
 * Saves a record, or updates it.
 * @throws ProblemError `dataset-not-found`, `account-full`
 */
async function saveRecord(
  accountId: string,
  body: BodyOf<"save-record">,
  context: SavedServices,
): Promise<SavedRecord> {
  const { recordId: requestedId, note } = body;
  const recordId = await listedRecord(requestedId, context.active);
  const ids = await sameRecord(recordId, context.active);
  const at = context.now().toISOString();
  const row = await withLockedAccount(context.accounts, accountId, async (trx) => {
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
    await requireFreePlace(trx, "savedRecords", accountId);
    const row = { account_id: accountId, record_id: recordId, note: noteOf(note), saved_at: at, updated_at: at };
    return trx.insertInto("saved_record").values(row).returningAll().executeTakeFirstOrThrow();
  });
  const [saved] = await savedRecordsForApi([row], context);
  if (saved === undefined) throw new Error(`the saved record ${recordId} cannot be shown`);
  return saved;
}

export async function listSavedRecords(
  accountId: string,
  { recordId, ...listQuery }: SavedRecordListQuery,
  context: SavedServices,
): Promise<ListPart<SavedRecord>> {
  const { db } = context.accounts;
  if (recordId !== undefined) {
    const ids = await sameRecord(recordId, context.active);
    const rows = await savedRecordRows(db, accountId).where("record_id", "in", ids).execute();
    const first = offsetOf(listQuery);
    const records = await savedRecordsForApi(rows.slice(first, first + listQuery.limit), context);
    return listPartOf(records, rows.length, listQuery);
  }
  const total = await countOf(db, "savedRecords", accountId);
  const rows = await savedRecordRows(db, accountId).limit(listQuery.limit).offset(offsetOf(listQuery)).execute();
  return listPartOf(await savedRecordsForApi(rows, context), total, listQuery);
}

export function savedRecordRows(db: Accounts["db"], accountId: string) {
  return db
    .selectFrom("saved_record")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("saved_at", "desc")
    .orderBy("record_id", "desc");
}

/**
 * Deletes a saved record by any of its IDs.
 * @throws ProblemError `not-saved`
 */
async function deleteSavedRecord(
  accountId: string,
  recordId: string,
  { accounts, active }: SavedServices,
): Promise<void> {
  const { numDeletedRows } = await accounts.db
    .deleteFrom("saved_record")
    .where("account_id", "=", accountId)
    .where("record_id", "in", await sameRecord(recordId, active))
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw unknownKey(savedRecordKey);
}

async function savedRecordsForApi(
  rows: readonly SavedRow[],
  { active }: Pick<SavedServices, "active">,
): Promise<SavedRecord[]> {
  const ids = rows.map(({ record_id: id }) => id);
  const records = await recordRows(active, ids);
  return rows.map((row) => ({ ...storedSavedRecord(row), record: records.get(row.record_id) ?? null }));
}

export function storedSavedRecord(row: SavedRow): Omit<SavedRecord, "record"> {
  return { recordId: row.record_id, note: row.note, savedAt: row.saved_at, updatedAt: row.updated_at };
}

/** @throws ProblemError `dataset-not-found`, `no-release` */
async function listedRecord(id: string, active: ActiveRelease): Promise<string> {
  const fate = await active.use(async ({ lookups }) =>
    recordId.safeParse(id).success ? lookups.recordFate(id) : ({ fate: "unknown" } as const),
  );
  if (fate.fate === "listed") return id;
  if (fate.fate === "alias") return fate.winner;
  throw new ProblemError("dataset-not-found", "The active release does not list a dataset with this ID.");
}

/** Returns all IDs of a record in the active release; only `id` if the record is unknown or there is no release. */
async function sameRecord(id: string, active: ActiveRelease): Promise<string[]> {
  if (active.digest === null) return [id];
  const known = await active.use(({ lookups }) => lookups.sameRecord(id));
  return [...new Set([id, ...known])];
}

type SavedAuthorRow = Selectable<AccountTables["saved_author"]>;

export function savedAuthorHandlers(
  context: SavedServices,
): Handlers<"saved-authors" | "save-author" | "unsave-author"> {
  return {
    "saved-authors": ({ signed: { accountId }, query }) => respond(listSavedAuthors(accountId, query, context)),
    "save-author": ({ signed: { accountId }, body }) => respondCreated(saveAuthor(accountId, body, context)),
    "unsave-author": ({ signed: { accountId }, key }) => respondDeleted(deleteSavedAuthor(accountId, key, context)),
  };
}

/**
 * Saves a researcher, or updates it.
 * @throws ProblemError `researcher-not-found`, `account-full`
 */
async function saveAuthor(
  accountId: string,
  body: BodyOf<"save-author">,
  context: SavedServices,
): Promise<SavedAuthor> {
  const { authorSlug, note } = body;
  const { id, slug } = await findResearcher(authorSlug, context);
  const at = context.now().toISOString();
  const row = await withLockedAccount(context.accounts, accountId, async (trx) => {
    const again = await trx
      .updateTable("saved_author")
      .set({ slug, updated_at: at, ...replacedNote(note) })
      .where("account_id", "=", accountId)
      .where("researcher_id", "=", id)
      .returningAll()
      .executeTakeFirst();
    if (again !== undefined) return again;
    await requireFreePlace(trx, "savedAuthors", accountId);
    const row = { account_id: accountId, researcher_id: id, slug, note: noteOf(note), saved_at: at, updated_at: at };
    return trx.insertInto("saved_author").values(row).returningAll().executeTakeFirstOrThrow();
  });
  const [saved] = await savedAuthorsForApi([row], context);
  if (saved === undefined) throw new Error(`the saved author ${id} cannot be shown`);
  return saved;
}

export async function listSavedAuthors(
  accountId: string,
  listQuery: AccountListQuery,
  context: SavedServices,
): Promise<ListPart<SavedAuthor>> {
  const { db } = context.accounts;
  const total = await countOf(db, "savedAuthors", accountId);
  const rows = await savedAuthorRows(db, accountId).limit(listQuery.limit).offset(offsetOf(listQuery)).execute();
  return listPartOf(await savedAuthorsForApi(rows, context), total, listQuery);
}

export function savedAuthorRows(db: Accounts["db"], accountId: string) {
  return db
    .selectFrom("saved_author")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("saved_at", "desc")
    .orderBy("researcher_id", "desc");
}

/** @throws ProblemError `not-saved` */
async function deleteSavedAuthor(accountId: string, authorId: string, { accounts }: SavedServices): Promise<void> {
  const { numDeletedRows } = await accounts.db
    .deleteFrom("saved_author")
    .where("account_id", "=", accountId)
    .where("researcher_id", "=", authorId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw unknownKey(authorIdKey);
}

/** Adds the rows of researchers. If a researcher was hidden later, the item and its note stay without a name. */
async function savedAuthorsForApi(
  rows: readonly SavedAuthorRow[],
  { accounts, active }: Pick<SavedServices, "accounts" | "active">,
): Promise<SavedAuthor[]> {
  const ids = rows.map(({ researcher_id: id }) => id);
  const hidden = await hiddenAmong(accounts.db, ids);
  const researchers = await researcherRows(
    active,
    ids.filter((id) => !hidden.has(id)),
  );
  return rows.map((row) => {
    const researcher = researchers.get(row.researcher_id) ?? null;
    const stored = storedSavedAuthor(row, hidden);
    return { ...stored, authorSlug: researcher?.slug ?? stored.authorSlug, researcher };
  });
}

export function storedSavedAuthor(row: SavedAuthorRow, hidden: ReadonlySet<string>): Omit<SavedAuthor, "researcher"> {
  return {
    authorId: row.researcher_id,
    authorSlug: hidden.has(row.researcher_id) ? null : row.slug,
    note: row.note,
    savedAt: row.saved_at,
    updatedAt: row.updated_at,
  };
}

export function savedRepositoryHandlers(
  context: SavedServices,
): Handlers<"saved-repositories" | "save-repository" | "unsave-repository"> {
  return {
    "saved-repositories": ({ signed: { accountId }, query }) =>
      respond(listSavedRepositories(accountId, query, context)),
    "save-repository": ({ signed: { accountId }, body }) => respondCreated(saveRepository(accountId, body, context)),
    "unsave-repository": ({ signed: { accountId }, key }) =>
      respondDeleted(deleteSavedRepository(accountId, key, context)),
  };
}

/**
 * Saves a repository, once.
 * @throws ProblemError `repository-not-found`, `account-full`
 */
async function saveRepository(
  accountId: string,
  { repository }: BodyOf<"save-repository">,
  context: SavedServices,
): Promise<SavedRepository> {
  await requireRepository(repository, context.active);
  const at = context.now().toISOString();
  return withLockedAccount(context.accounts, accountId, async (trx) => {
    const [known] = await savedRepositoryRows(trx, accountId).where("repository", "=", repository).execute();
    if (known !== undefined) return known;
    await requireFreePlace(trx, "savedRepositories", accountId);
    await trx.insertInto("saved_repository").values({ account_id: accountId, repository, saved_at: at }).execute();
    return { repository, savedAt: at };
  });
}

/** @throws ProblemError `repository-not-found`, `no-release` */
async function requireRepository(label: string, active: ActiveRelease): Promise<void> {
  const rows = await active.use(({ engine }) =>
    engine.rows("select 1 from repository where repository = $label limit 1", { label }),
  );
  if (rows.length === 0) throw unknownKey(repositoryKey);
}

export async function listSavedRepositories(
  accountId: string,
  listQuery: AccountListQuery,
  { accounts: { db } }: Pick<SavedServices, "accounts">,
): Promise<ListPart<SavedRepository>> {
  const total = await countOf(db, "savedRepositories", accountId);
  const rows = await savedRepositoryRows(db, accountId).limit(listQuery.limit).offset(offsetOf(listQuery)).execute();
  return listPartOf(rows, total, listQuery);
}

export function savedRepositoryRows(db: Accounts["db"], accountId: string) {
  return db
    .selectFrom("saved_repository")
    .select(["repository", "saved_at as savedAt"])
    .where("account_id", "=", accountId)
    .orderBy("saved_at", "desc")
    .orderBy("repository", "desc");
}

/** @throws ProblemError `not-saved` */
async function deleteSavedRepository(
  accountId: string,
  repository: string,
  { accounts }: SavedServices,
): Promise<void> {
  const { numDeletedRows } = await accounts.db
    .deleteFrom("saved_repository")
    .where("account_id", "=", accountId)
    .where("repository", "=", repository)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw unknownKey(savedRepositoryKey);
}
