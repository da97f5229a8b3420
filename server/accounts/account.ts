/** Handlers of the endpoints under /account. Each handler reads and writes only rows of the signed-in account. */

import { type Selectable, sql } from "kysely";
import type { ACCOUNT_ROUTES } from "../../api-static/routes/account-routes.ts";
import { CACHE, JSON_TYPE } from "../../api-static/routes/route.ts";
import type { AccountExport } from "../../schemas/public/account/export.ts";
import type { AccountListQuery } from "../../schemas/public/account/list.ts";
import { ACCOUNT_LIMITS, type ItemName } from "../../schemas/public/account/me.ts";
import { DEFAULT_LIMITS } from "../../schemas/public/api/queries.ts";
import {
  type BodyChunks,
  contentHeaders,
  deletedResponse,
  type HttpResponse,
  respond,
  respondDeleted,
} from "../http/response.ts";
import type { Handlers } from "../http/routes.ts";
import { deleteKeysWithEmail, listNewestKeys, revokeOwnKey, selectKeys } from "./api-keys.ts";
import { CHANGE_MAILS, changeMailHandlers } from "./change-mails.ts";
import { claimHandlers, PROFILE_CLAIMS } from "./claims.ts";
import { type AccountServices, accountDeleted, type ExportedRows, type OwnedItems, ownedItems } from "./items.ts";
import { measurementHandlers, OWN_MEASUREMENTS } from "./measurements.ts";
import { listReports } from "./problem-reports.ts";
import {
  SAVED_AUTHORS,
  SAVED_RECORDS,
  SAVED_REPOSITORIES,
  SAVED_SEARCHES,
  savedAuthorHandlers,
  savedRecordHandlers,
  savedRepositoryHandlers,
  savedSearchHandlers,
} from "./saved.ts";
import { findUser, Sessions } from "./sessions.ts";
import { DATASET_SUBMISSIONS, submissionHandlers } from "./submissions.ts";
import type { AccountTables } from "./tables.ts";
import { listHiddenResearchers, VISIBILITY_REQUESTS, visibilityHandlers } from "./visibility.ts";

const ITEMS: Readonly<Record<ItemName, OwnedItems>> = {
  profileClaims: ownedItems(PROFILE_CLAIMS),
  visibilityRequests: ownedItems(VISIBILITY_REQUESTS),
  savedRecords: ownedItems(SAVED_RECORDS),
  savedAuthors: ownedItems(SAVED_AUTHORS),
  savedRepositories: ownedItems<Selectable<AccountTables["saved_repository"]>>(SAVED_REPOSITORIES),
  savedSearches: ownedItems<Selectable<AccountTables["saved_search"]>>(SAVED_SEARCHES),
  changeMails: CHANGE_MAILS,
  datasetSubmissions: ownedItems(DATASET_SUBMISSIONS),
  measurements: OWN_MEASUREMENTS,
};

export function accountHandlers(context: AccountServices): Handlers<keyof typeof ACCOUNT_ROUTES> {
  return {
    me: ({ signed: { accountId } }) => respond(accountOverview(accountId, context)),
    "erase-account": async ({ signed: { accountId } }, reply) => {
      await eraseAccount(accountId, context);
      context.signIn.cookies.clear(reply, "share_session");
      return deletedResponse();
    },
    "export-account": ({ signed: { accountId } }) => exportResponse(accountId, context),
    "revoke-api-key": ({ signed: { accountId }, key }) => respondDeleted(revokeAccountKey(accountId, key, context)),
    ...claimHandlers(context),
    ...visibilityHandlers(context),
    ...savedRecordHandlers(context),
    ...savedAuthorHandlers(context),
    ...savedRepositoryHandlers(context),
    ...savedSearchHandlers(context),
    ...changeMailHandlers(context),
    ...submissionHandlers(context),
    ...measurementHandlers(context),
  };
}

/**
 * Revokes an API key that was registered with the account's email address.
 * @throws ProblemError `not-found` if the address has no such key, or `no-session` if the account was deleted meanwhile
 */
async function revokeAccountKey(
  accountId: string,
  id: string,
  { accounts: { db }, now }: AccountServices,
): Promise<void> {
  const user = await findUser(db, accountId);
  if (user === null) throw accountDeleted();
  await revokeOwnKey(db, user.email, id, now());
}

/** Streams the export of an account. The response has no entity tag, because that would need the complete body first. */
async function exportResponse(accountId: string, context: AccountServices): Promise<HttpResponse> {
  const headers = {
    ...contentHeaders(JSON_TYPE, CACHE.never),
    "content-disposition": `attachment; filename="share-account-${accountId}.json"`,
  };
  return { status: 200, headers, body: await exportChunks(accountId, context) };
}

/**
 * Deletes an account: its rows, its sign-in links, and the API keys and problem reports that have its email address.
 * Its submitted datasets stay, but without the account ID, and a hidden researcher stays hidden.
 * @throws ProblemError `no-session` if the account was deleted meanwhile
 */
async function eraseAccount(
  accountId: string,
  { accounts: { db, kind } }: Pick<AccountServices, "accounts">,
): Promise<void> {
  const user = await findUser(db, accountId);
  if (user === null) throw accountDeleted();
  await db.transaction().execute(async (trx) => {
    // Deletes the links before the account, because signing in locks them in this order. The other order could deadlock.
    if (user.email !== null) await trx.deleteFrom("magic_link").where("email", "=", user.email).execute();
    // Locks the account until the end, so that nothing is added in between.
    const row = trx.selectFrom("account").select("id").where("id", "=", accountId);
    await (kind === "postgres" ? row.forUpdate() : row).execute();
    await trx.deleteFrom("account").where("id", "=", accountId).execute();
    if (user.email === null) return;
    await deleteKeysWithEmail(trx, user.email);
    await trx.deleteFrom("problem_report").where("reply_to", "=", user.email).execute();
  });
  // The write-ahead log still contains the deleted rows.
  if (kind === "sqlite") await sql`pragma wal_checkpoint(truncate)`.execute(db);
}

/** Largest number of API keys that the overview lists. */
const MAX_KEYS = 100;

const FIRST_PART: AccountListQuery = { page: 1, limit: DEFAULT_LIMITS.authors };

/**
 * Reads an account for GET /account/me, and for the account view, which can show any page of a list.
 * @throws ProblemError `no-session` if the account was deleted meanwhile
 */
export async function accountOverview(
  accountId: string,
  services: AccountServices,
  pages: Readonly<Record<string, AccountListQuery>> = {},
) {
  const { accounts, now } = services;
  const user = await findUser(accounts.db, accountId);
  if (user === null) throw accountDeleted();
  const { sessions } = await accounts.db
    .selectFrom("session")
    .select(({ fn }) => fn.countAll<number>().as("sessions"))
    .where("account_id", "=", accountId)
    .where("expires_at", ">", now().toISOString())
    .executeTakeFirstOrThrow();
  return {
    user,
    sessions,
    apiKeys: user.email === null ? [] : await listNewestKeys(accounts.db, user.email, MAX_KEYS),
    hidden: await listHiddenResearchers(accounts.db, accountId),
    ...(await ofEachItem((items, name) => items.overview(accountId, pages[name] ?? FIRST_PART, services))),
    limits: ACCOUNT_LIMITS,
  };
}

/**
 * Calls `read` for each kind of item, such as saved searches, one after the other. ITEMS must have a kind for every
 * table with an account ID, which a test checks.
 */
async function ofEachItem<T>(read: (items: OwnedItems, name: string) => Promise<T>): Promise<Record<string, T>> {
  const all: Record<string, T> = {};
  for (const [name, items] of Object.entries(ITEMS)) all[name] = await read(items, name);
  return all;
}

/**
 * Exports an account as one JSON object.
 * @throws ProblemError `no-session`, before the first chunk, if the account was deleted meanwhile
 */
async function exportChunks(accountId: string, services: AccountServices): Promise<BodyChunks> {
  const { accounts, now } = services;
  const { db } = accounts;
  const user = await findUser(db, accountId);
  if (user === null) throw accountDeleted();
  const head = JSON.stringify({ exportedAt: now().toISOString(), user }).slice(0, -1);
  return jsonChunks(head, {
    sessions: await new Sessions(accounts, now).list(accountId),
    signInLinks: await signInLinks(db, user.email),
    apiKeys: user.email === null ? [] : await selectKeys(db, user.email).execute(),
    problemReports: await listReports(db, accountId, user.email),
    ...(await ofEachItem((items) => items.exported(accountId, services))),
  });
}

/** Returns the times of the sign-in links that were sent to the account's confirmed email address, the newest first. */
async function signInLinks(
  db: AccountServices["accounts"]["db"],
  email: string | null,
): Promise<AccountExport["signInLinks"]> {
  if (email === null) return [];
  return db
    .selectFrom("magic_link")
    .select(["created_at as createdAt", "expires_at as expiresAt", "used_at as usedAt"])
    .where("email", "=", email)
    .orderBy("created_at", "desc")
    .execute();
}

/** Encodes a JSON object in chunks: `head`, which is the object without its last brace, and a list for each name in `lists`. */
async function* jsonChunks(head: string, lists: Readonly<Record<string, ExportedRows>>): BodyChunks {
  yield head;
  for (const [name, rows] of Object.entries(lists)) {
    yield `,\n${JSON.stringify(name)}:[`;
    let between = "";
    for await (const row of rows) {
      yield `${between}\n${JSON.stringify(row)}`;
      between = ",";
    }
    yield "]";
  }
  yield "}\n";
}
