/** Counts of what an account store holds: numbers alone, nobody's name. */

import { type Kysely, sql } from "kysely";
import type { AccountTables } from "./tables.ts";

export interface AccountCounts {
  readonly people: number;
  /** Not expired. */
  readonly sessions: number;
  readonly apiKeys: number;
  readonly claimsPending: number;
  readonly claimsApproved: number;
  readonly visibilityPending: number;
  readonly hiddenResearchers: number;
  readonly submissionsQueued: number;
  /** Accepted, and not harvested yet. */
  readonly submissionsWaiting: number;
  readonly measurements: number;
  /** The last one that ran. */
  readonly migration: number;
}

export async function accountCounts(db: Kysely<AccountTables>, now: Date): Promise<AccountCounts> {
  const { rows } = await sql<AccountCounts>`
    select
      (select count(*) from account) as "people",
      (select count(*) from session where expires_at > ${now.toISOString()}) as "sessions",
      (select count(*) from api_key where revoked_at is null) as "apiKeys",
      (select count(*) from profile_claim where state = 'pending') as "claimsPending",
      (select count(*) from profile_claim where state = 'approved') as "claimsApproved",
      (select count(*) from visibility_request where state = 'pending') as "visibilityPending",
      (select count(*) from hidden_researcher) as "hiddenResearchers",
      (select count(*) from dataset_submission where state = 'queued') as "submissionsQueued",
      (select count(*) from dataset_submission where state = 'accepted' and harvested_at is null) as "submissionsWaiting",
      (select count(*) from measurement) as "measurements",
      (select max(number) from schema_migration) as "migration"`.execute(db);
  const [counts] = rows;
  if (counts === undefined) throw new Error("a select without a table gave no row");
  return counts;
}
