/** /account/profile-claims: claim to be a researcher, and withdraw the claim. */

import type { Selectable, Transaction } from "kysely";
import { claimKey } from "../../api-static/routes/account-routes.ts";
import { idOfOrcid } from "../../pipeline/parse-identifier.ts";
import { claimState, type ProfileClaim } from "../../schemas/public/account/claim.ts";
import type { AccountListQuery } from "../../schemas/public/account/list.ts";
import type { PossibleClaim } from "../../web/views/continue.ts";
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
import { type AccountRow, accountDeleted, countOf, requireFreePlace, withLockedAccount } from "./account-rows.ts";
import { addEvent, BY_ORCID } from "./audit.ts";
import { type FoundResearcher, findClaimable, hiddenAmong, researcherRows } from "./researchers.ts";
import { findUser, newId } from "./sessions.ts";
import type { AccountTables } from "./tables.ts";

type ClaimRow = Selectable<AccountTables["profile_claim"]>;
type Trx = Transaction<AccountTables>;
type Db = ClaimServices["accounts"]["db"];
type ClaimServices = Pick<AccountServices, "accounts" | "active" | "now">;

export function claimHandlers(
  context: ClaimServices,
): Handlers<"profile-claims" | "new-profile-claim" | "withdraw-profile-claim"> {
  return {
    "profile-claims": ({ signed: { accountId }, query }) => respond(listClaims(accountId, query, context)),
    "new-profile-claim": ({ signed: { accountId }, body }) => respondCreated(addClaim(accountId, body, context)),
    "withdraw-profile-claim": ({ signed: { accountId }, key }) => respondDeleted(deleteClaim(accountId, key, context)),
  };
}

/** States in which the account cannot claim the same researcher again. */
const BLOCKING_STATES = ["pending", "approved"] as const;

/** @throws ProblemError `researcher-not-found`, `duplicate`, `account-full` */
async function addClaim(
  accountId: string,
  body: BodyOf<"new-profile-claim">,
  context: ClaimServices,
): Promise<ProfileClaim> {
  const { authorSlug } = body;
  const { accounts, now } = context;
  const user = await findUser(accounts.db, accountId);
  if (user === null) throw accountDeleted();
  const researcher = await findClaimable(authorSlug, user.orcid, context);
  const row = await withLockedAccount(accounts, accountId, async (trx, account) => {
    await requireNew(trx, accountId, researcher.id);
    await requireFreePlace(trx, "profileClaims", accountId);
    return insertClaim(trx, account, researcher, now().toISOString());
  });
  const [claim] = await claimsForApi([row], context);
  if (claim === undefined) throw new Error(`the claim ${row.id} cannot be shown`);
  return claim;
}

/**
 * Checks a claim by the rules of `addClaim` without adding it.
 * @throws ProblemError `researcher-not-found`, `duplicate`, `account-full`
 */
export async function expectedClaim(
  accountId: string,
  authorSlug: string,
  context: ClaimServices,
): Promise<Omit<PossibleClaim, "hasOrcid">> {
  const { db } = context.accounts;
  const user = await findUser(db, accountId);
  if (user === null) throw accountDeleted();
  const { id, slug } = await findClaimable(authorSlug, user.orcid, context);
  await requireNew(db, accountId, id);
  await requireFreePlace(db, "profileClaims", accountId);
  const isTaken = await hasApprovedClaim(db, id);
  return {
    slug,
    researcher: (await researcherRows(context.active, [id])).get(id) ?? null,
    accountOrcid: user.orcid,
    isTaken,
    isImmediate: !isTaken && isOwner(user.orcid, id),
  };
}

async function hasApprovedClaim(db: Db, researcherId: string): Promise<boolean> {
  const claim = await db
    .selectFrom("profile_claim")
    .select("id")
    .where("researcher_id", "=", researcherId)
    .where("state", "=", "approved")
    .executeTakeFirst();
  return claim !== undefined;
}

/** True if the ORCID iD is that of the researcher. */
function isOwner(orcid: string | null, researcherId: string): boolean {
  return orcid !== null && idOfOrcid(orcid) === researcherId;
}

async function requireNew(db: Db, accountId: string, researcherId: string): Promise<void> {
  const same = await db
    .selectFrom("profile_claim")
    .select(["id", "state"])
    .where("account_id", "=", accountId)
    .where("researcher_id", "=", researcherId)
    .where("state", "in", BLOCKING_STATES)
    .executeTakeFirst();
  if (same === undefined) return;
  throw new ProblemError("duplicate", `You have already claimed this researcher: ${same.id} is ${same.state}.`);
}

/**
 * Inserts a claim. It is approved at once if the account has the researcher's ORCID iD. If another account has an approved
 * claim, a moderator decides.
 */
async function insertClaim(
  trx: Trx,
  account: AccountRow,
  { id: researcherId, slug }: FoundResearcher,
  at: string,
): Promise<ClaimRow> {
  const row: ClaimRow = {
    id: newId("c"),
    account_id: account.id,
    researcher_id: researcherId,
    slug,
    state: "pending",
    decision_reason: null,
    created_at: at,
    decided_at: null,
  };
  if (isOwner(account.orcid, researcherId)) {
    const approved = await trx
      .insertInto("profile_claim")
      .values({ ...row, state: "approved", decided_at: at })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (approved !== undefined) {
      const event = { at, actor: BY_ORCID, action: "approved", detail: { researcherId, reason: null } };
      await addEvent(trx, { ...event, subjectKind: "claim", subjectId: row.id });
      return approved;
    }
  }
  return trx.insertInto("profile_claim").values(row).returningAll().executeTakeFirstOrThrow();
}

export async function listClaims(
  accountId: string,
  listQuery: AccountListQuery,
  context: ClaimServices,
): Promise<ListPart<ProfileClaim>> {
  const { db } = context.accounts;
  const total = await countOf(db, "profileClaims", accountId);
  const rows = await claimRows(db, accountId).limit(listQuery.limit).offset(offsetOf(listQuery)).execute();
  return listPartOf(await claimsForApi(rows, context), total, listQuery);
}

export function claimRows(db: Db, accountId: string) {
  return db
    .selectFrom("profile_claim")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc");
}

/**
 * Withdraws a claim and the pending requests for that researcher.
 * @throws ProblemError `not-found`, also if the claim belongs to another account
 */
async function deleteClaim(accountId: string, id: string, { accounts }: ClaimServices): Promise<void> {
  const claim = await withLockedAccount(accounts, accountId, async (trx) => {
    const deleted = await trx
      .deleteFrom("profile_claim")
      .where("id", "=", id)
      .where("account_id", "=", accountId)
      .returning("researcher_id")
      .executeTakeFirst();
    if (deleted !== undefined) await deletePendingRequests(trx, accountId, deleted.researcher_id);
    return deleted;
  });
  if (claim === undefined) throw unknownKey(claimKey);
}

async function deletePendingRequests(trx: Trx, accountId: string, researcherId: string): Promise<void> {
  await trx
    .deleteFrom("visibility_request")
    .where("account_id", "=", accountId)
    .where("researcher_id", "=", researcherId)
    .where("state", "=", "pending")
    .execute();
}

/** Returns claims as the API shows them. A hidden researcher is only shown to the account with the approved claim. */
async function claimsForApi(
  rows: readonly ClaimRow[],
  { accounts, active }: Pick<ClaimServices, "accounts" | "active">,
): Promise<ProfileClaim[]> {
  const ids = rows.map(({ researcher_id: id }) => id);
  const hidden = await hiddenAmong(accounts.db, ids);
  const researchers = await researcherRows(active, ids);
  return rows.map((row) => {
    const isShown = row.state === "approved" || !hidden.has(row.researcher_id);
    return { ...storedClaim(row), researcher: (isShown ? researchers.get(row.researcher_id) : null) ?? null };
  });
}

export function storedClaim(row: ClaimRow): Omit<ProfileClaim, "researcher"> {
  return {
    id: row.id,
    authorId: row.researcher_id,
    authorSlug: row.slug,
    state: claimState.parse(row.state),
    decisionReason: row.decision_reason,
    createdAt: row.created_at,
    decidedAt: row.decided_at,
  };
}
