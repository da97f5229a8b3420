/** The entry of the log that has the answer to a dispute as it stands: with the sentence, which no later entry repeats. */

import type { Transaction } from "kysely";
import { ANSWERED_STATES } from "../../../schemas/public/dispute.ts";
import type { AccountTables } from "../accounts/schema/tables.ts";
import { type AuditEvent, eventsOf } from "../moderation/audit.ts";

const ANSWERING: readonly string[] = [...ANSWERED_STATES, "withdrawn", "corrected"];

/** Undefined where it has no answer. */
export async function answerEvent(trx: Transaction<AccountTables>, id: string): Promise<AuditEvent | undefined> {
  return (await eventsOf(trx, id)).findLast(({ action }) => ANSWERING.includes(action));
}
