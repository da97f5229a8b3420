/** A count of what an account has of each kind. */

import type { Kept } from "../../../schemas/public/account/me.ts";
import type { Accounts } from "../accounts/index.ts";

/** Where each kind is kept. */
const TABLES = {
  profileClaims: "profile_claim",
  visibilityRequests: "visibility_request",
  savedRecords: "saved_record",
  savedAuthors: "saved_author",
  datasetSubmissions: "dataset_submission",
  measurements: "measurement",
} as const satisfies Record<Kept, string>;

export async function countOf(db: Accounts["db"], kept: Kept, accountId: string): Promise<number> {
  const { rows } = await db
    .selectFrom(TABLES[kept])
    .select(({ fn }) => fn.countAll<number>().as("rows"))
    .where("account_id", "=", accountId)
    .executeTakeFirstOrThrow();
  return rows;
}
