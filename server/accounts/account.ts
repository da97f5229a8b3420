/** Handlers of the endpoints under /account. Each reads and writes rows of the signed-in account only. */

import { sql } from "kysely";
import type { ACCOUNT_ROUTES } from "../../api-static/routes/account-routes.ts";
import { CACHE, JSON_TYPE } from "../../api-static/routes/route.ts";
import type { AccountExport } from "../../schemas/public/account/export.ts";
import type { AccountListQuery } from "../../schemas/public/account/list.ts";
import { ACCOUNT_LIMITS } from "../../schemas/public/account/me.ts";
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
import { type AccountServices, accountDeleted } from "./account-rows.ts";
import { deleteKeysOf, keysOf, newestKeysOf, revokeOwnKey } from "./api-keys.ts";
import { changeMailHandlers, changeMailRows } from "./change-mails.ts";
import { claimHandlers, claimRows, listClaims, storedClaim } from "./claims.ts";
import type { Accounts } from "./database.ts";
import { listMeasurements, measurementForApi, measurementHandlers } from "./measurements.ts";
import { hiddenAmong } from "./researchers.ts";
import {
  listSavedAuthors,
  listSavedRecords,
  listSavedRepositories,
  savedAuthorHandlers,
  savedAuthorRows,
  savedRecordHandlers,
  savedRecordRows,
  savedRepositoryHandlers,
  savedRepositoryRows,
  storedSavedAuthor,
  storedSavedRecord,
} from "./saved.ts";
import { findUser, Sessions } from "./sessions.ts";
import { listSubmissions, submissionForApi, submissionHandlers, submissionRows } from "./submissions.ts";
import {
  hiddenResearchersOf,
  listVisibilityRequests,
  requestForApi,
  requestRows,
  visibilityHandlers,
} from "./visibility.ts";

export function accountHandlers(context: AccountServices): Handlers<keyof typeof ACCOUNT_ROUTES> {
  return {
    me: ({ signed: { accountId } }) => respond(accountOverview(accountId, context)),
    "erase-account": async ({ signed: { accountId } }, reply) => {
      await eraseAccount(accountId, context);
      context.signIn.cookies.clear(reply, "share_session");
      return deletedResponse();
    },
    "export-account": ({ signed: { accountId } }) => exportResponse(accountId, context),
    "revoke-api-key": ({ signed: { accountId }, key }) => respondDeleted(revokeKeyOf(accountId, key, context)),
    ...claimHandlers(context),
    ...visibilityHandlers(context),
    ...savedRecordHandlers(context),
    ...savedAuthorHandlers(context),
    ...savedRepositoryHandlers(context),
    ...changeMailHandlers(context),
    ...submissionHandlers(context),
    ...measurementHandlers(context),
  };
}

/** @throws ProblemError `not-found`, or `no-session` if the account was deleted meanwhile */
async function revokeKeyOf(accountId: string, id: string, { accounts: { db }, now }: AccountServices): Promise<void> {
  const user = await findUser(db, accountId);
  if (user === null) throw accountDeleted();
  await revokeOwnKey(db, user.email, id, now());
}

/** Streams the export. It has no entity tag, because that would need the complete body first. */
async function exportResponse(accountId: string, context: AccountServices): Promise<HttpResponse> {
  const headers = {
    ...contentHeaders(JSON_TYPE, CACHE.never),
    "content-disposition": `attachment; filename="share-account-${accountId}.json"`,
  };
  return { status: 200, headers, body: await exportChunks(accountId, context) };
}

/**
 * Deletes an account with its rows, its sign-in links, and the API keys with its email address. Submissions stay without
 * the account ID, and a hidden researcher stays hidden.
 * @throws ProblemError `no-session` if the account was deleted meanwhile
 */
async function eraseAccount(
  accountId: string,
  { accounts: { db, kind } }: Pick<AccountServices, "accounts">,
): Promise<void> {
  const user = await findUser(db, accountId);
  if (user === null) throw accountDeleted();
  await db.transaction().execute(async (trx) => {
    // Deletes links first, as signing in locks them first. The other order could deadlock.
    if (user.email !== null) await trx.deleteFrom("magic_link").where("email", "=", user.email).execute();
    // Locks the account until the end, so that nothing is added in between.
    const row = trx.selectFrom("account").select("id").where("id", "=", accountId);
    await (kind === "postgres" ? row.forUpdate() : row).execute();
    await trx.deleteFrom("account").where("id", "=", accountId).execute();
    if (user.email !== null) await deleteKeysOf(trx, user.email);
  });
  // The write-ahead log still contains the deleted rows.
  if (kind === "sqlite") await sql`pragma wal_checkpoint(truncate)`.execute(db);
}

/** API keys in the overview. */
const MOST_KEYS = 100;

const FIRST_PART: AccountListQuery = { page: 1, limit: DEFAULT_LIMITS.authors };

/** @throws ProblemError `no-session` if the account was deleted meanwhile */
async function accountOverview(accountId: string, context: AccountServices) {
  const { accounts, now } = context;
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
    apiKeys: user.email === null ? [] : await newestKeysOf(accounts.db, user.email, MOST_KEYS),
    hidden: await hiddenResearchersOf(accounts.db, accountId),
    profileClaims: await listClaims(accountId, FIRST_PART, context),
    visibilityRequests: await listVisibilityRequests(accountId, FIRST_PART, context),
    savedRecords: await listSavedRecords(accountId, FIRST_PART, context),
    savedAuthors: await listSavedAuthors(accountId, FIRST_PART, context),
    savedRepositories: await listSavedRepositories(accountId, FIRST_PART, context),
    changeMails: (await changeMailRows(accounts.db, accountId))[0] ?? null,
    datasetSubmissions: await listSubmissions(accountId, FIRST_PART, context),
    measurements: await listMeasurements(accountId, FIRST_PART, context),
    limits: ACCOUNT_LIMITS,
  };
}

type Db = Accounts["db"];
type ExportServices = Pick<AccountServices, "accounts" | "evaluations" | "now">;
type Rows = AsyncIterable<object> | Iterable<object>;
type List = Exclude<keyof AccountExport, "exportedAt" | "user">;

/** Evaluations that are read at a time. Each may have thousands of creators. */
const EVALUATIONS_AT_ONCE = 10;

/**
 * Exports an account as one JSON object.
 * @throws ProblemError `no-session`, before the first chunk, if the account was deleted meanwhile
 */
async function exportChunks(accountId: string, context: ExportServices): Promise<BodyChunks> {
  const { accounts, now } = context;
  const user = await findUser(accounts.db, accountId);
  if (user === null) throw accountDeleted();
  const head = JSON.stringify({ exportedAt: now().toISOString(), user }).slice(0, -1);
  return jsonChunks(head, await listsOf(accountId, user.email, context));
}

/** Returns the rows of every list of the export. A test fails if a table with an account ID is missing. */
async function listsOf(
  accountId: string,
  email: string | null,
  { accounts, evaluations, now }: ExportServices,
): Promise<Record<List, Rows>> {
  const { db } = accounts;
  const authors = await savedAuthorRows(db, accountId).execute();
  const hidden = await hiddenAmong(
    db,
    authors.map(({ researcher_id: id }) => id),
  );
  return {
    sessions: await new Sessions(accounts, now).list(accountId),
    signInLinks: await signInLinks(db, email),
    apiKeys: email === null ? [] : await keysOf(db, email).execute(),
    profileClaims: (await claimRows(db, accountId).execute()).map(storedClaim),
    visibilityRequests: (await requestRows(db, accountId).execute()).map(requestForApi),
    savedRecords: (await savedRecordRows(db, accountId).execute()).map(storedSavedRecord),
    savedAuthors: authors.map((row) => storedSavedAuthor(row, hidden)),
    savedRepositories: await savedRepositoryRows(db, accountId).execute(),
    changeMails: await changeMailRows(db, accountId),
    datasetSubmissions: (await submissionRows(db, accountId).execute()).map(submissionForApi),
    measurements: exportedMeasurements(accountId, { accounts, evaluations }),
  };
}

/** Returns the links by email address. Their owner has proved that the address belongs to them. */
async function signInLinks(db: Db, email: string | null): Promise<AccountExport["signInLinks"]> {
  if (email === null) return [];
  return db
    .selectFrom("magic_link")
    .select(["created_at as createdAt", "expires_at as expiresAt", "used_at as usedAt"])
    .where("email", "=", email)
    .orderBy("created_at", "desc")
    .execute();
}

async function* exportedMeasurements(
  accountId: string,
  { accounts: { db }, evaluations }: Pick<ExportServices, "accounts" | "evaluations">,
): AsyncGenerator<object, void, undefined> {
  const ids = await db
    .selectFrom("measurement")
    .select("id")
    .where("account_id", "=", accountId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
  for (let first = 0; first < ids.length; first += EVALUATIONS_AT_ONCE) {
    const part = ids.slice(first, first + EVALUATIONS_AT_ONCE).map(({ id }) => id);
    const rows = await db
      .selectFrom("measurement")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("id", "in", part)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .execute();
    for (const row of rows) yield await measurementForApi(row, evaluations);
  }
}

/** Encodes an object that begins with `head` and has one list per name. */
async function* jsonChunks(head: string, lists: Readonly<Record<string, Rows>>): BodyChunks {
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
