/**
 * /account/visibility-requests: requests of researchers to be hidden or shown again. Only a researcher with an approved
 * claim can send a request.
 */

import type { Selectable, Transaction } from "kysely";
import { claimState } from "../../schemas/public/account/claim.ts";
import {
  type HiddenResearcher,
  requestType,
  type VisibilityRequest,
  visibilityKey,
  type visibilityRequests,
} from "../../schemas/public/account/visibility.ts";
import { ProblemError } from "../http/response.ts";
import type { BodyOf, Handlers } from "../http/routes.ts";
import { findApprovedClaim } from "./claims.ts";
import type { Accounts } from "./database.ts";
import {
  type AccountServices,
  makeItemHandlers,
  requireFreePlace,
  type StoredItems,
  textOrNull,
  withLockedAccount,
} from "./items.ts";
import { type Moderated, ModerationError } from "./moderated.ts";
import { type FoundResearcher, findResearcher } from "./researchers.ts";
import { newId } from "./sessions.ts";
import type { AccountTables } from "./tables.ts";

type RequestRow = Selectable<AccountTables["visibility_request"]>;
type Db = Accounts["db"];

/** Requests to be hidden or shown again. If a decided request is removed, its decision stays in force. */
export const VISIBILITY_REQUESTS: StoredItems<RequestRow, VisibilityRequest> = {
  item: "visibilityRequests",
  table: "visibility_request",
  order: ["created_at", "id"],
  key: visibilityKey,
  show: (rows) =>
    rows.map((row) => ({
      id: row.id,
      authorId: row.researcher_id,
      authorSlug: row.slug,
      requestType: requestType.parse(row.request_type),
      reason: row.reason,
      state: claimState.parse(row.state),
      decisionReason: row.decision_reason,
      createdAt: row.created_at,
      decidedAt: row.decided_at,
    })),
};

export const HIDING_REQUESTS: Moderated<RequestRow> = {
  kind: "visibility",
  plural: "visibility",
  letter: "v",
  table: "visibility_request",
  states: { pending: "pending", approved: "approved", rejected: "rejected" },
  mail: { about: "Your request about the visibility of your page", path: "/me#visibility" },
  describe: ({ request_type: asks, researcher_id: id, slug, reason }) => ({ asks, researcher: { id, slug }, reason }),
  decide: async (trx, row, { verdict, now }) => {
    const { account_id: accountId, researcher_id: researcherId, slug, request_type: requestType } = row;
    if (verdict === "approved") {
      // The claim may have been withdrawn since the request.
      const claim = await findApprovedClaim(trx, { account_id: accountId, researcher_id: researcherId });
      if (claim === undefined) throw claimGone();
      await (requestType === "opt_out"
        ? hide(trx, { researcher_id: researcherId, slug, since: now.toISOString() })
        : trx.deleteFrom("hidden_researcher").where("researcher_id", "=", researcherId).execute());
    }
    return { researcherId, requestType };
  },
};

function claimGone(): ModerationError {
  return new ModerationError("the applicant no longer has an approved claim of this researcher; reject the request");
}

/** Hides a researcher. If the researcher is hidden already, the earlier time stays. */
async function hide(trx: Transaction<AccountTables>, row: AccountTables["hidden_researcher"]): Promise<void> {
  await trx
    .insertInto("hidden_researcher")
    .values(row)
    .onConflict((conflict) => conflict.column("researcher_id").doNothing())
    .execute();
}

export function visibilityHandlers(services: AccountServices): Handlers<keyof typeof visibilityRequests.routes> {
  const { list, add, remove } = makeItemHandlers(VISIBILITY_REQUESTS, services);
  return {
    "visibility-requests": list,
    "new-visibility-request": add(addVisibilityRequest),
    "withdraw-visibility-request": remove,
  };
}

/**
 * Stores the request of a researcher to be hidden or shown again, on which a moderator decides.
 * @throws ProblemError `researcher-not-found`, `claim-needed`, `duplicate`, `account-full`
 */
async function addVisibilityRequest(
  accountId: string,
  { authorSlug, requestType: type, reason }: BodyOf<"new-visibility-request">,
  services: AccountServices,
): Promise<RequestRow> {
  const claimed = await claimedResearcher(accountId, authorSlug, services);
  return withLockedAccount(services.accounts, accountId, async (trx) => {
    const claim = await findApprovedClaim(trx, { account_id: accountId, researcher_id: claimed.id });
    if (claim === undefined) throw claimNeeded();
    await requireNew(trx, accountId, claimed.id, type);
    await requireFreePlace(trx, VISIBILITY_REQUESTS, accountId);
    return trx
      .insertInto("visibility_request")
      .values({
        id: newId("v"),
        account_id: accountId,
        researcher_id: claimed.id,
        slug: claimed.slug,
        request_type: type,
        reason: textOrNull(reason),
        state: "pending",
        decision_reason: null,
        created_at: services.now().toISOString(),
        decided_at: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** Finds a researcher, first in the account's approved claims, because a hidden researcher is found only there. */
async function claimedResearcher(accountId: string, slug: string, context: AccountServices): Promise<FoundResearcher> {
  const claim = await findApprovedClaim(context.accounts.db, { account_id: accountId, slug });
  return claim === undefined ? findResearcher(slug, context) : { id: claim.researcher_id, slug: claim.slug };
}

function claimNeeded(): ProblemError {
  return new ProblemError("claim-needed", "You need an approved claim of this researcher. Claim the profile first.");
}

async function requireNew(db: Db, accountId: string, researcherId: string, type: string): Promise<void> {
  const same = await db
    .selectFrom("visibility_request")
    .select("id")
    .where("account_id", "=", accountId)
    .where("researcher_id", "=", researcherId)
    .where("request_type", "=", type)
    .where("state", "=", "pending")
    .executeTakeFirst();
  if (same === undefined) return;
  throw new ProblemError(
    "duplicate",
    `You have already sent this request: ${same.id} is pending. Wait for the decision of a moderator.`,
  );
}

/** Returns the hidden researchers whom this account has an approved claim for. */
export async function listHiddenResearchers(db: Db, accountId: string): Promise<HiddenResearcher[]> {
  const rows = await db
    .selectFrom("hidden_researcher as h")
    .innerJoin("profile_claim as c", "c.researcher_id", "h.researcher_id")
    .select(["h.researcher_id", "h.slug", "h.since"])
    .where("c.account_id", "=", accountId)
    .where("c.state", "=", "approved")
    .orderBy("h.researcher_id")
    .execute();
  return rows.map((row) => ({ authorId: row.researcher_id, authorSlug: row.slug, since: row.since }));
}
