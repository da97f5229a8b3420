/** Writing under an account: one request after the other, none after the account is gone, and none beyond its bounds. */

import type { Selectable, Transaction } from "kysely";
import { ACCOUNT_LIMITS, type Kept } from "../../../schemas/public/account/me.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { Accounts } from "../accounts/index.ts";
import type { AccountTables } from "../accounts/schema/tables.ts";
import { countOf } from "./count-of.ts";

export type AccountRow = Selectable<AccountTables["account"]>;

/**
 * Runs work in a transaction that holds the row of the account.
 * @throws ProblemError `no-session` where the account was deleted meanwhile
 */
export function inAccount<T>(
  { db, kind }: Pick<Accounts, "db" | "kind">,
  accountId: string,
  work: (trx: Transaction<AccountTables>, account: AccountRow) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (trx) => {
    const row = trx.selectFrom("account").selectAll().where("id", "=", accountId);
    // On SQLite the transaction itself is the lock.
    const account = await (kind === "postgres" ? row.forUpdate() : row).executeTakeFirst();
    if (account === undefined) throw accountGone();
    return work(trx, account);
  });
}

export function accountGone(): ProblemError {
  return new ProblemError("no-session", "Nobody is signed in: the account has been deleted.");
}

/** What each kind is called. */
const WORDS: Readonly<Record<Kept, string>> = {
  profileClaims: "profile claims",
  visibilityRequests: "visibility requests",
  savedRecords: "saved records",
  savedAuthors: "saved authors",
  datasetSubmissions: "dataset submissions",
  measurements: "measurements",
};

/** @throws ProblemError `account-full` where there is no room for one more */
export async function requireRoom(db: Accounts["db"], kept: Kept, accountId: string): Promise<void> {
  const most = ACCOUNT_LIMITS[kept];
  if ((await countOf(db, kept, accountId)) < most) return;
  throw new ProblemError("account-full", `An account may have ${most} ${WORDS[kept]}; delete some to make room.`);
}
