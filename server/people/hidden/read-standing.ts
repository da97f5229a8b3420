/** Reads from the account store who is hidden and who is verified, and first whether that has changed at all. */

import type { Kysely } from "kysely";
import type { AccountTables } from "../accounts/schema/tables.ts";
import { ResearcherIds } from "./researcher-ids.ts";
import type { Standing } from "./standing.ts";

/**
 * How many there are and when the last came: a short text that changes with them, for the price of two counts. Only where
 * as many come as go, all of them dated before the last, does it stay the same; whoever follows it looks in full now and then.
 */
export async function markOf(db: Kysely<AccountTables>): Promise<string> {
  const hidden = await db
    .selectFrom("hidden_researcher")
    .select(({ fn }) => [fn.countAll().as("people"), fn.max("since").as("latest")])
    .executeTakeFirstOrThrow();
  const verified = await db
    .selectFrom("profile_claim")
    .select(({ fn }) => [fn.countAll().as("people"), fn.max("decided_at").as("latest")])
    .where("state", "=", "approved")
    .executeTakeFirstOrThrow();
  return [hidden, verified].map(({ people, latest }) => `${people} ${latest}`).join(", ");
}

export async function readStanding(db: Kysely<AccountTables>): Promise<Standing> {
  const hidden = await db.selectFrom("hidden_researcher").select("researcher_id").execute();
  const verified = await db
    .selectFrom("profile_claim")
    .select("researcher_id")
    .where("state", "=", "approved")
    .execute();
  return { hidden: idsOf(hidden), verified: idsOf(verified) };
}

function idsOf(rows: readonly { readonly researcher_id: string }[]): ResearcherIds {
  return new ResearcherIds(rows.map(({ researcher_id }) => researcher_id));
}
