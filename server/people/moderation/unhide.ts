/** Showing a researcher again whose account is gone, and with it who could ask: a moderator's word, and an entry in the log. */

import type { Accounts } from "../accounts/index.ts";
import { addEvent } from "./audit.ts";
import { ModerationError } from "./moderation-error.ts";

export interface Unhiding {
  readonly researcherId: string;
  readonly reason: string;
  readonly by: string;
  readonly now: Date;
}

export interface Unhidden {
  readonly id: string;
  readonly reason: string;
  readonly by: string;
  readonly at: string;
}

/** @throws ModerationError where the researcher is not hidden */
export function unhide(
  { db }: Pick<Accounts, "db">,
  { researcherId: id, reason, by, now }: Unhiding,
): Promise<Unhidden> {
  const at = now.toISOString();
  return db.transaction().execute(async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom("hidden_researcher")
      .where("researcher_id", "=", id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) {
      throw new ModerationError(`no researcher ${id} is hidden; see \`share-release moderate export --json\``);
    }
    const event = { at, actor: by, action: "unhidden", detail: { reason } };
    await addEvent(trx, { ...event, subjectKind: "researcher", subjectId: id });
    return { id, reason, by, at };
  });
}
