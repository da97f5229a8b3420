/** GET /account/export: everything that is kept of one person, written piece by piece: there may be much of it. */

import type { AccountExport } from "../../../schemas/public/account/export.ts";
import type { Pieces } from "../../frame/answering/answer.ts";
import type { Accounts } from "../accounts/index.ts";
import { Sessions } from "../sign-in/sessions.ts";
import { findUser } from "../sign-in/users.ts";
import { claimRows, keptClaim } from "./claims.ts";
import type { AccountContext } from "./context.ts";
import { accountGone } from "./in-account.ts";
import { hiddenAmong } from "./known-researcher.ts";
import { shownMeasurement } from "./measurements.ts";
import { keptAuthor, savedAuthorRows } from "./saved-authors.ts";
import { keptRecord, savedRecordRows } from "./saved-records.ts";
import { keptSubmission, submissionRows } from "./submissions.ts";
import { keptRequest, requestRows } from "./visibility.ts";

type Db = Accounts["db"];
type Context = Pick<AccountContext, "accounts" | "evaluations" | "now">;
type Rows = AsyncIterable<object> | Iterable<object>;
type List = Exclude<keyof AccountExport, "exportedAt" | "user">;

/** Evaluations read at a time: each may have thousands of creators. */
const EVALUATIONS_AT_ONCE = 10;

/**
 * The pieces of one JSON object.
 * @throws ProblemError `no-session`, at once, where the account was deleted meanwhile
 */
export async function exportOf(accountId: string, context: Context): Promise<Pieces> {
  const { accounts, now } = context;
  const user = await findUser(accounts.db, accountId);
  if (user === null) throw accountGone();
  const head = JSON.stringify({ exportedAt: now().toISOString(), user }).slice(0, -1);
  return jsonPieces(head, await listsOf(accountId, user.email, context));
}

/** What each list of the export has: a table with an account's id in it that is not here fails the test of this file. */
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

/** Links are kept by address: whoever has the account has proved it to be theirs. */
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

/** An object that begins with `head`, as JSON, with a list for each name. */
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
