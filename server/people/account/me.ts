/** GET /account/me: who is signed in, with the first page of everything that is theirs. */

import type { AccountListQuery } from "../../../schemas/public/account/list.ts";
import { ACCOUNT_LIMITS } from "../../../schemas/public/account/me.ts";
import { DEFAULT_LIMITS } from "../../../schemas/public/api/queries.ts";
import { findUser } from "../sign-in/users.ts";
import { listClaims } from "./claims.ts";
import type { AccountContext } from "./context.ts";
import { accountGone } from "./in-account.ts";
import { listMeasurements } from "./measurements.ts";
import { listSavedAuthors } from "./saved-authors.ts";
import { listSavedRecords } from "./saved-records.ts";
import { listSubmissions } from "./submissions.ts";
import { hiddenResearchersOf, listVisibilityRequests } from "./visibility.ts";

const FIRST: AccountListQuery = { page: 1, limit: DEFAULT_LIMITS.authors };

/** @throws ProblemError `no-session` where the account was deleted meanwhile */
export async function accountPage(accountId: string, context: AccountContext) {
  const { accounts, now } = context;
  const user = await findUser(accounts.db, accountId);
  if (user === null) throw accountGone();
  const { sessions } = await accounts.db
    .selectFrom("session")
    .select(({ fn }) => fn.countAll<number>().as("sessions"))
    .where("account_id", "=", accountId)
    .where("expires_at", ">", now().toISOString())
    .executeTakeFirstOrThrow();
  return {
    user,
    sessions,
    hidden: await hiddenResearchersOf(accounts.db, accountId),
    profileClaims: await listClaims(accountId, FIRST, context),
    visibilityRequests: await listVisibilityRequests(accountId, FIRST, context),
    savedRecords: await listSavedRecords(accountId, FIRST, context),
    savedAuthors: await listSavedAuthors(accountId, FIRST, context),
    datasetSubmissions: await listSubmissions(accountId, FIRST, context),
    measurements: await listMeasurements(accountId, FIRST, context),
    limits: ACCOUNT_LIMITS,
  };
}
