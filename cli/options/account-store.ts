/** The account store of a command: that of DATABASE_URL, else the store's own file. Most commands open none, and read no driver. */

import { existsSync } from "node:fs";
import type { Accounts } from "../../server/accounts/database/index.ts";
import { type AccountTarget, accountTarget, recordAccounts } from "../../server/accounts/database/target.ts";
import { CommandFailed } from "./exit-codes.ts";
import { type SharedOptions, storeOf } from "./shared.ts";

/** Asking about accounts makes no store: a misspelt --store should not look like an empty one. */
export async function withAccounts<T>(options: SharedOptions, work: (accounts: Accounts) => Promise<T>): Promise<T> {
  const target = targetOf(options);
  if ("sqlite" in target && !existsSync(target.sqlite)) {
    throw new CommandFailed(`there is no account store ${target.sqlite}; \`share-release serve\` makes it`);
  }
  const { openAccounts } = await import("../../server/accounts/database/index.ts");
  const accounts = await openAccounts(target);
  await recordAccounts(storeOf(options), target);
  try {
    return await work(accounts);
  } finally {
    await accounts.close();
  }
}

/** Whether this store has accounts: one that was never served has none. */
export function hasAccounts(options: SharedOptions): boolean {
  const target = targetOf(options);
  return "postgres" in target || existsSync(target.sqlite);
}

function targetOf(options: SharedOptions): AccountTarget {
  return accountTarget(process.env.DATABASE_URL, storeOf(options));
}
