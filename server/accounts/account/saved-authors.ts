/** /account/saved-authors: researchers one wants to find again, each with a note. */

import type { Selectable } from "kysely";
import { authorIdKey } from "../../../api-static/routes/account-routes.ts";
import type { AccountListQuery } from "../../../schemas/public/account/list.ts";
import type { SavedAuthor } from "../../../schemas/public/account/saved.ts";
import type { BodyOf, Handlers } from "../../http/add-routes.ts";
import { unknownKey } from "../../http/add-routes.ts";
import { created, offsetOf, type Page, pageOf, removed, shown } from "../../http/answer.ts";
import type { Accounts } from "../database/index.ts";
import type { AccountTables } from "../database/tables.ts";
import type { AccountContext } from "./in-account.ts";
import { countOf, inAccount, noteOf, replacedNote, requireRoom } from "./in-account.ts";
import { hiddenAmong, knownResearcher, researcherRows } from "./known-researcher.ts";

type SavedAuthorRow = Selectable<AccountTables["saved_author"]>;
type Context = Pick<AccountContext, "accounts" | "active" | "now">;

export function savedAuthorHandlers(context: Context): Handlers<"saved-authors" | "save-author" | "unsave-author"> {
  return {
    "saved-authors": ({ signed: { accountId }, query }) => shown(listSavedAuthors(accountId, query, context)),
    "save-author": ({ signed: { accountId }, body }) => created(saveAuthor(accountId, body, context)),
    "unsave-author": ({ signed: { accountId }, key }) => removed(deleteSavedAuthor(accountId, key, context)),
  };
}

/** Saves a researcher, or saves them again. @throws ProblemError `researcher-not-found`, `account-full` */
async function saveAuthor(accountId: string, body: BodyOf<"save-author">, context: Context): Promise<SavedAuthor> {
  const { authorSlug, note } = body;
  const { id, slug } = await knownResearcher(authorSlug, context);
  const at = context.now().toISOString();
  const row = await inAccount(context.accounts, accountId, async (trx) => {
    const again = await trx
      .updateTable("saved_author")
      .set({ slug, updated_at: at, ...replacedNote(note) })
      .where("account_id", "=", accountId)
      .where("researcher_id", "=", id)
      .returningAll()
      .executeTakeFirst();
    if (again !== undefined) return again;
    await requireRoom(trx, "savedAuthors", accountId);
    const row = { account_id: accountId, researcher_id: id, slug, note: noteOf(note), saved_at: at, updated_at: at };
    return trx.insertInto("saved_author").values(row).returningAll().executeTakeFirstOrThrow();
  });
  const [saved] = await shownSavedAuthors([row], context);
  if (saved === undefined) throw new Error(`the saved author ${id} cannot be shown`);
  return saved;
}

export async function listSavedAuthors(
  accountId: string,
  asked: AccountListQuery,
  context: Context,
): Promise<Page<SavedAuthor>> {
  const { db } = context.accounts;
  const total = await countOf(db, "savedAuthors", accountId);
  const rows = await savedAuthorRows(db, accountId).limit(asked.limit).offset(offsetOf(asked)).execute();
  return pageOf(await shownSavedAuthors(rows, context), total, asked);
}

/** The newest first. */
export function savedAuthorRows(db: Accounts["db"], accountId: string) {
  return db
    .selectFrom("saved_author")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("saved_at", "desc")
    .orderBy("researcher_id", "desc");
}

/** @throws ProblemError `not-saved` */
async function deleteSavedAuthor(accountId: string, authorId: string, { accounts }: Context): Promise<void> {
  const { numDeletedRows } = await accounts.db
    .deleteFrom("saved_author")
    .where("account_id", "=", accountId)
    .where("researcher_id", "=", authorId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw unknownKey(authorIdKey);
}

/** Who opted out after being saved is nameless from then on; the row stays, with its note. */
async function shownSavedAuthors(
  rows: readonly SavedAuthorRow[],
  { accounts, active }: Pick<Context, "accounts" | "active">,
): Promise<SavedAuthor[]> {
  const ids = rows.map(({ researcher_id: id }) => id);
  const hidden = await hiddenAmong(accounts.db, ids);
  const researchers = await researcherRows(
    active,
    ids.filter((id) => !hidden.has(id)),
  );
  return rows.map((row) => {
    const researcher = researchers.get(row.researcher_id) ?? null;
    const kept = keptAuthor(row, hidden);
    return { ...kept, authorSlug: researcher?.slug ?? kept.authorSlug, researcher };
  });
}

/** The part of a saved researcher that the store has. */
export function keptAuthor(row: SavedAuthorRow, hidden: ReadonlySet<string>): Omit<SavedAuthor, "researcher"> {
  return {
    authorId: row.researcher_id,
    authorSlug: hidden.has(row.researcher_id) ? null : row.slug,
    note: row.note,
    savedAt: row.saved_at,
    updatedAt: row.updated_at,
  };
}
