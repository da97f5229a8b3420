/** A dispute as a moderator is about to change it. */

import type { Selectable, Transaction } from "kysely";
import type { Accounts } from "../accounts/index.ts";
import type { AccountTables } from "../accounts/schema/tables.ts";
import { noDispute } from "./queue.ts";

const COLUMNS = ["state", "answer", "mended_version", "mended_digest"] as const;

export type HeldDispute = Pick<Selectable<AccountTables["dispute"]>, (typeof COLUMNS)[number]>;

/**
 * The row, which nobody else changes until the transaction ends: on SQLite the transaction itself is the lock.
 * @throws ModerationError where there is no such dispute
 */
export async function heldDispute(
  trx: Transaction<AccountTables>,
  kind: Accounts["kind"],
  id: string,
): Promise<HeldDispute> {
  const row = trx.selectFrom("dispute").select(COLUMNS).where("id", "=", id);
  const found = await (kind === "postgres" ? row.forUpdate() : row).executeTakeFirst();
  if (found === undefined) throw noDispute(id);
  return found;
}
