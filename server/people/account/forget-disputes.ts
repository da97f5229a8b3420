/** Taking disputes back: what somebody wrote goes with them, and what was answered stays, of nobody. */

import type { Transaction } from "kysely";
import type { AccountTables } from "../accounts/schema/tables.ts";
import { addEvent, BY_APPLICANT } from "../moderation/audit.ts";

interface Forgetting {
  readonly accountId: string;
  /** One of them; null for all of the account. */
  readonly id: string | null;
  readonly at: string;
}

/** Returns how many there were. An open one is withdrawn, which the log says. */
export async function forgetDisputes(
  trx: Transaction<AccountTables>,
  { accountId, id, at }: Forgetting,
): Promise<bigint> {
  const withdrawn = await trx
    .updateTable("dispute")
    .set({ state: "withdrawn", answered_at: at })
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
    .set({ account_id: null, evidence_url: null, evidence: null, statement: null })
    .where("account_id", "=", accountId)
    .$if(id !== null, (query) => query.where("id", "=", id ?? ""))
    .executeTakeFirst();
  return numUpdatedRows;
}
