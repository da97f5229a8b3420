/** Taking disputes back: one that waits goes, and of one that was answered the answer stays, of nobody. */

import type { Transaction } from "kysely";
import type { AccountTables } from "../accounts/schema/tables.ts";
import { addEvent, BY_APPLICANT } from "../moderation/audit.ts";

/** The columns that say who disputed, and what they wrote. */
export const FORGOTTEN = { account_id: null, evidence_url: null, evidence: null, statement: null } as const;

interface Forgetting {
  readonly accountId: string;
  /** One of them; null for all of the account. */
  readonly id: string | null;
  readonly at: string;
}

/** Returns how many there were. That an open one was withdrawn is in the log alone. */
export async function forgetDisputes(
  trx: Transaction<AccountTables>,
  { accountId, id, at }: Forgetting,
): Promise<bigint> {
  const withdrawn = await trx
    .deleteFrom("dispute")
    .where("account_id", "=", accountId)
    .$if(id !== null, (query) => query.where("id", "=", id ?? ""))
    .where("state", "=", "open")
    .returning("id")
    .execute();
  for (const { id: subjectId } of withdrawn) {
    const event = { at, actor: BY_APPLICANT, action: "withdrawn", detail: {} };
    await addEvent(trx, { ...event, subjectKind: "dispute", subjectId });
  }
  const { numUpdatedRows } = await trx
    .updateTable("dispute")
    .set(FORGOTTEN)
    .where("account_id", "=", accountId)
    .$if(id !== null, (query) => query.where("id", "=", id ?? ""))
    .executeTakeFirst();
  return numUpdatedRows + BigInt(withdrawn.length);
}
