/** Writes rows of an account: one request at a time, within its limits, and only while the account exists. */

import type { Selectable, Transaction } from "kysely";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { ACCOUNT_LIMITS, type Kept } from "../../schemas/public/account/me.ts";
import type { Evaluations } from "../evaluations/index.ts";
import { ProblemError } from "../http/response.ts";
import type { ActiveRelease } from "../read/active-release.ts";
import type { Accounts } from "./database.ts";
import type { SignIn } from "./sign-in.ts";
import type { Standings } from "./standings.ts";
import type { AccountTables } from "./tables.ts";

export type AccountRow = Selectable<AccountTables["account"]>;

/**
 * Runs work in a transaction that locks the row of the account.
 * @throws ProblemError `no-session` if the account was deleted meanwhile
 */
export function withLockedAccount<T>(
  { db, kind }: Pick<Accounts, "db" | "kind">,
  accountId: string,
  work: (trx: Transaction<AccountTables>, account: AccountRow) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (trx) => {
    const row = trx.selectFrom("account").selectAll().where("id", "=", accountId);
    // On SQLite, the transaction is the lock.
    const account = await (kind === "postgres" ? row.forUpdate() : row).executeTakeFirst();
    if (account === undefined) throw accountDeleted();
    return work(trx, account);
  });
}

export function accountDeleted(): ProblemError {
  return new ProblemError("no-session", "You are not signed in: the account has been deleted.");
}

const KIND_NAMES: Readonly<Record<Kept, string>> = {
  profileClaims: "profile claims",
  visibilityRequests: "visibility requests",
  savedRecords: "saved records",
  savedAuthors: "saved authors",
  savedRepositories: "saved repositories",
  datasetSubmissions: "dataset submissions",
  measurements: "measurements",
};

/** @throws ProblemError `account-full` if the account has reached its limit */
export async function requireFreePlace(db: Accounts["db"], itemKind: Kept, accountId: string): Promise<void> {
  const most = ACCOUNT_LIMITS[itemKind];
  if ((await countOf(db, itemKind, accountId)) < most) return;
  throw new ProblemError("account-full", `An account may have ${most} ${KIND_NAMES[itemKind]}. Delete some first.`);
}

export interface AccountServices {
  readonly accounts: Accounts;
  readonly active: ActiveRelease;
  readonly standings: Standings;
  readonly evaluations: Evaluations;
  readonly signIn: SignIn;
  readonly now: Effects["now"];
}

/** Converts a note from a request for storage: an empty note is null. */
export function noteOf(sent: string | undefined): string | null {
  return sent === undefined || sent === "" ? null : sent;
}

export function replacedNote(sent: string | undefined): { note?: string | null } {
  return sent === undefined ? {} : { note: noteOf(sent) };
}

const TABLES = {
  profileClaims: "profile_claim",
  visibilityRequests: "visibility_request",
  savedRecords: "saved_record",
  savedAuthors: "saved_author",
  savedRepositories: "saved_repository",
  datasetSubmissions: "dataset_submission",
  measurements: "measurement",
} as const satisfies Record<Kept, string>;

export async function countOf(db: Accounts["db"], itemKind: Kept, accountId: string): Promise<number> {
  const { rows } = await db
    .selectFrom(TABLES[itemKind])
    .select(({ fn }) => fn.countAll<number>().as("rows"))
    .where("account_id", "=", accountId)
    .executeTakeFirstOrThrow();
  return rows;
}
