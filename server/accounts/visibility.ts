/**
 * /account/visibility-requests: request to be hidden, or shown again. Only a researcher with an approved claim can send
 * one.
 */

import type { Selectable } from "kysely";
import { visibilityKey } from "../../api-static/routes/account-routes.ts";
import { claimState } from "../../schemas/public/account/claim.ts";
import type { AccountListQuery } from "../../schemas/public/account/list.ts";
import { type HiddenResearcher, requestType, type VisibilityRequest } from "../../schemas/public/account/visibility.ts";
import {
  type ListPart,
  listPartOf,
  offsetOf,
  ProblemError,
  respond,
  respondCreated,
  respondDeleted,
} from "../http/response.ts";
import type { BodyOf, Handlers } from "../http/routes.ts";
import { unknownKey } from "../http/routes.ts";
import type { AccountServices } from "./account-rows.ts";
import { countOf, requireFreePlace, withLockedAccount } from "./account-rows.ts";
import type { Accounts } from "./database.ts";
import { type FoundResearcher, findResearcher } from "./researchers.ts";
import { newId } from "./sessions.ts";
import type { AccountTables } from "./tables.ts";

type RequestRow = Selectable<AccountTables["visibility_request"]>;
type VisibilityServices = Pick<AccountServices, "accounts" | "active" | "now">;
type Db = Accounts["db"];

export function visibilityHandlers(
  context: VisibilityServices,
): Handlers<"visibility-requests" | "new-visibility-request" | "withdraw-visibility-request"> {
  return {
    "visibility-requests": ({ signed: { accountId }, query }) =>
      respond(listVisibilityRequests(accountId, query, context)),
    "new-visibility-request": ({ signed: { accountId }, body }) =>
      respondCreated(addVisibilityRequest(accountId, body, context)),
    "withdraw-visibility-request": ({ signed: { accountId }, key }) =>
      respondDeleted(deleteVisibilityRequest(accountId, key, context)),
  };
}

/** @throws ProblemError `researcher-not-found`, `claim-needed`, `duplicate`, `account-full` */
async function addVisibilityRequest(
  accountId: string,
  body: BodyOf<"new-visibility-request">,
  context: VisibilityServices,
): Promise<VisibilityRequest> {
  const { authorSlug, requestType: type, reason = "" } = body;
  const claimed = await claimedResearcher(accountId, authorSlug, context);
  const row = await withLockedAccount(context.accounts, accountId, async (trx) => {
    if (!(await hasApprovedClaim(trx, accountId, claimed.id))) throw claimNeeded();
    await requireNew(trx, accountId, claimed.id, type);
    await requireFreePlace(trx, "visibilityRequests", accountId);
    return trx
      .insertInto("visibility_request")
      .values({
        id: newId("v"),
        account_id: accountId,
        researcher_id: claimed.id,
        slug: claimed.slug,
        request_type: type,
        reason: reason === "" ? null : reason,
        state: "pending",
        decision_reason: null,
        created_at: context.now().toISOString(),
        decided_at: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
  return requestForApi(row);
}

/** Looks in the account's claims first, because a hidden researcher is found only there. */
async function claimedResearcher(
  accountId: string,
  slug: string,
  context: VisibilityServices,
): Promise<FoundResearcher> {
  const claim = await context.accounts.db
    .selectFrom("profile_claim")
    .select(["researcher_id as id", "slug"])
    .where("account_id", "=", accountId)
    .where("slug", "=", slug)
    .where("state", "=", "approved")
    .executeTakeFirst();
  return claim ?? findResearcher(slug, context);
}

async function hasApprovedClaim(db: Db, accountId: string, researcherId: string): Promise<boolean> {
  const claim = await db
    .selectFrom("profile_claim")
    .select("id")
    .where("account_id", "=", accountId)
    .where("researcher_id", "=", researcherId)
    .where("state", "=", "approved")
    .executeTakeFirst();
  return claim !== undefined;
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
  throw new ProblemError("duplicate", `You have already sent this request: ${same.id} is pending.`);
}

export async function listVisibilityRequests(
  accountId: string,
  listQuery: AccountListQuery,
  { accounts: { db } }: Pick<VisibilityServices, "accounts">,
): Promise<ListPart<VisibilityRequest>> {
  const total = await countOf(db, "visibilityRequests", accountId);
  const rows = await requestRows(db, accountId).limit(listQuery.limit).offset(offsetOf(listQuery)).execute();
  return listPartOf(rows.map(requestForApi), total, listQuery);
}

export function requestRows(db: Db, accountId: string) {
  return db
    .selectFrom("visibility_request")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc");
}

/**
 * Withdraws a pending request, or deletes a decided one; its decision stays in force.
 * @throws ProblemError `not-found`, also if it belongs to another account
 */
async function deleteVisibilityRequest(accountId: string, id: string, { accounts }: VisibilityServices): Promise<void> {
  const { numDeletedRows } = await accounts.db
    .deleteFrom("visibility_request")
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw unknownKey(visibilityKey);
}

/** Returns the hidden researchers whom this account has an approved claim for. */
export async function hiddenResearchersOf(db: Db, accountId: string): Promise<HiddenResearcher[]> {
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

export function requestForApi(row: RequestRow): VisibilityRequest {
  return {
    id: row.id,
    authorId: row.researcher_id,
    authorSlug: row.slug,
    requestType: requestType.parse(row.request_type),
    reason: row.reason,
    state: claimState.parse(row.state),
    decisionReason: row.decision_reason,
    createdAt: row.created_at,
    decidedAt: row.decided_at,
  };
}
