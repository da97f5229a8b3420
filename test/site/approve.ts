/** Approves, as a moderator does, the only pending claim or the only pending visibility request in a store. */

import { accountTarget } from "../../pipeline/store/account-target.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { openAccounts } from "../../server/accounts/database.ts";
import { decide } from "../../server/accounts/moderation.ts";
import { NOW } from "../server/test-store.ts";

export async function approve(kind: "profile_claim" | "visibility_request", store: Store): Promise<void> {
  const accounts = await openAccounts(accountTarget(undefined, store), { log: () => undefined });
  try {
    const { id } = await accounts.db
      .selectFrom(kind)
      .select("id")
      .where("state", "=", "pending")
      .executeTakeFirstOrThrow();
    await decide(accounts, { id, verdict: "approved", reason: null, by: "moderator", now: NOW });
  } finally {
    await accounts.close();
  }
}
