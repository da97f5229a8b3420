/** Handlers of the endpoints under /account. Each reads and writes rows of the signed-in account only. */

import { sql } from "kysely";
import type { ACCOUNT_ROUTES } from "../../api-static/routes/account-routes.ts";
import { CACHE, JSON_TYPE } from "../../api-static/routes/route.ts";
import type { AccountExport } from "../../schemas/public/account/export.ts";
import type { AccountListQuery } from "../../schemas/public/account/list.ts";
import { ACCOUNT_LIMITS } from "../../schemas/public/account/me.ts";
import { DEFAULT_LIMITS } from "../../schemas/public/api/queries.ts";
import { type Answer, contentHeaders, deletedAnswer, type Pieces, shown } from "../http/response.ts";
import type { Handlers } from "../http/routes.ts";
import { type AccountContext, accountGone } from "./account-rows.ts";
import { claimHandlers, claimRows, keptClaim, listClaims } from "./claims.ts";
import type { Accounts } from "./database.ts";
import { listMeasurements, measurementHandlers, shownMeasurement } from "./measurements.ts";
import { hiddenAmong } from "./researchers.ts";
import {
  keptAuthor,
  keptRecord,
  listSavedAuthors,
  listSavedRecords,
  savedAuthorHandlers,
  savedAuthorRows,
  savedRecordHandlers,
  savedRecordRows,
} from "./saved.ts";
import { findUser, Sessions } from "./sessions.ts";
import { keptSubmission, listSubmissions, submissionHandlers, submissionRows } from "./submissions.ts";
import {
  hiddenResearchersOf,
  keptRequest,
  listVisibilityRequests,
  requestRows,
  visibilityHandlers,
} from "./visibility.ts";

export function accountHandlers(context: AccountContext): Handlers<keyof typeof ACCOUNT_ROUTES> {
  return {
    me: ({ signed: { accountId } }) => shown(accountPage(accountId, context)),
    "erase-account": async ({ signed: { accountId } }, reply) => {
      await eraseAccount(accountId, context);
      context.signIn.cookies.clear(reply, "share_session");
      return deletedAnswer();
    },
    "export-account": ({ signed: { accountId } }) => exportAnswer(accountId, context),
    ...claimHandlers(context),
    ...visibilityHandlers(context),
    ...savedRecordHandlers(context),
    ...savedAuthorHandlers(context),
    ...submissionHandlers(context),
    ...measurementHandlers(context),
  };
}

/** Streams the export. It has no entity tag, which would need the whole body first. */
async function exportAnswer(accountId: string, context: AccountContext): Promise<Answer> {
  const headers = {
    ...contentHeaders(JSON_TYPE, CACHE.never),
    "content-disposition": `attachment; filename="share-account-${accountId}.json"`,
  };
  return { status: 200, headers, body: await exportOf(accountId, context) };
}

/**
 * Deletes an account with its rows and its sign-in links. Submissions stay without the account ID, and a hidden
 * researcher stays hidden.
 * @throws ProblemError `no-session` if the account was deleted meanwhile
 */
async function eraseAccount(
  accountId: string,
  { accounts: { db, kind } }: Pick<AccountContext, "accounts">,
): Promise<void> {
  const user = await findUser(db, accountId);
  if (user === null) throw accountGone();
  await db.transaction().execute(async (trx) => {
    // Links first, in the order in which signing in locks them. The other order could deadlock.
    if (user.email !== null) await trx.deleteFrom("magic_link").where("email", "=", user.email).execute();
    // Locked until the end, so that nothing is added in between.
    const row = trx.selectFrom("account").select("id").where("id", "=", accountId);
    await (kind === "postgres" ? row.forUpdate() : row).execute();
    await trx.deleteFrom("account").where("id", "=", accountId).execute();
  });
  // The write-ahead log still contains the rows.
  if (kind === "sqlite") await sql`pragma wal_checkpoint(truncate)`.execute(db);
}

const FIRST: AccountListQuery = { page: 1, limit: DEFAULT_LIMITS.authors };

/** @throws ProblemError `no-session` if the account was deleted meanwhile */
async function accountPage(accountId: string, context: AccountContext) {
  const { accounts, now } = context;
  const user = await findUser(accounts.db, accountId);
  if (user === null) throw accountGone();
  const { sessions } = await accounts.db
    .selectFrom("session")
    .select(({ fn }) => fn.countAll<number>().as("sessions"))
    .where("account_id", "=", accountId)
    .where("expires_at", ">", now().toISOString())
    .executeTakeFirstOrThrow();
  return {
    user,
    sessions,
    hidden: await hiddenResearchersOf(accounts.db, accountId),
    profileClaims: await listClaims(accountId, FIRST, context),
    visibilityRequests: await listVisibilityRequests(accountId, FIRST, context),
    savedRecords: await listSavedRecords(accountId, FIRST, context),
    savedAuthors: await listSavedAuthors(accountId, FIRST, context),
    datasetSubmissions: await listSubmissions(accountId, FIRST, context),
    measurements: await listMeasurements(accountId, FIRST, context),
    limits: ACCOUNT_LIMITS,
  };
}

type Db = Accounts["db"];
type Context = Pick<AccountContext, "accounts" | "evaluations" | "now">;
type Rows = AsyncIterable<object> | Iterable<object>;
type List = Exclude<keyof AccountExport, "exportedAt" | "user">;

/** Evaluations read at a time: each may have thousands of creators. */
const EVALUATIONS_AT_ONCE = 10;

/**
 * Exports an account as one JSON object.
 * @throws ProblemError `no-session`, before the first chunk, if the account was deleted meanwhile
 */
async function exportOf(accountId: string, context: Context): Promise<Pieces> {
  const { accounts, now } = context;
  const user = await findUser(accounts.db, accountId);
  if (user === null) throw accountGone();
  const head = JSON.stringify({ exportedAt: now().toISOString(), user }).slice(0, -1);
  return jsonPieces(head, await listsOf(accountId, user.email, context));
}

/** Returns the rows of every list of the export. A test fails if a table with an account ID is missing. */
async function listsOf(
  accountId: string,
  email: string | null,
  { accounts, evaluations, now }: Context,
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
    profileClaims: (await claimRows(db, accountId).execute()).map(keptClaim),
    visibilityRequests: (await requestRows(db, accountId).execute()).map(keptRequest),
    savedRecords: (await savedRecordRows(db, accountId).execute()).map(keptRecord),
    savedAuthors: authors.map((row) => keptAuthor(row, hidden)),
    datasetSubmissions: (await submissionRows(db, accountId).execute()).map(keptSubmission),
    measurements: measurements(accountId, { accounts, evaluations }),
  };
}

/** Links are stored by email address. The owner of the account has proved that the address is theirs. */
async function signInLinks(db: Db, email: string | null): Promise<AccountExport["signInLinks"]> {
  if (email === null) return [];
  return db
    .selectFrom("magic_link")
    .select(["created_at as createdAt", "expires_at as expiresAt", "used_at as usedAt"])
    .where("email", "=", email)
    .orderBy("created_at", "desc")
    .execute();
}

async function* measurements(
  accountId: string,
  { accounts: { db }, evaluations }: Pick<Context, "accounts" | "evaluations">,
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
    for (const row of rows) yield await shownMeasurement(row, evaluations);
  }
}

/** Encodes an object that begins with `head` and has one list per name. */
async function* jsonPieces(head: string, lists: Readonly<Record<string, Rows>>): Pieces {
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
