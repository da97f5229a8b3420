/** /account/profile-claims: claim to be a researcher, and withdraw the claim. */

import type { Selectable, Transaction } from "kysely";
import { claimKey } from "../../api-static/routes/account-routes.ts";
import { idOfOrcid } from "../../pipeline/parse-identifier.ts";
import { claimState, type ProfileClaim } from "../../schemas/public/account/claim.ts";
import type { AccountListQuery } from "../../schemas/public/account/list.ts";
import { created, offsetOf, type Page, ProblemError, pageOf, removed, shown } from "../http/response.ts";
import type { BodyOf, Handlers } from "../http/routes.ts";
import { unknownKey } from "../http/routes.ts";
import type { AccountContext } from "./account-rows.ts";
import { type AccountRow, accountGone, countOf, inAccount, requireRoom } from "./account-rows.ts";
import { addEvent, BY_ORCID } from "./audit.ts";
import { claimableResearcher, hiddenAmong, type KnownResearcher, researcherRows } from "./researchers.ts";
import { findUser, newId } from "./sessions.ts";
import type { AccountTables } from "./tables.ts";

type ClaimRow = Selectable<AccountTables["profile_claim"]>;
type Trx = Transaction<AccountTables>;
type Context = Pick<AccountContext, "accounts" | "active" | "now">;

export function claimHandlers(
  context: Context,
): Handlers<"profile-claims" | "new-profile-claim" | "withdraw-profile-claim"> {
  return {
    "profile-claims": ({ signed: { accountId }, query }) => shown(listClaims(accountId, query, context)),
    "new-profile-claim": ({ signed: { accountId }, body }) => created(addClaim(accountId, body, context)),
    "withdraw-profile-claim": ({ signed: { accountId }, key }) => removed(deleteClaim(accountId, key, context)),
  };
}

/** States that prevent another claim of the same researcher by the same account. */
const STANDING = ["pending", "approved"] as const;

/** @throws ProblemError `researcher-not-found`, `duplicate`, `account-full` */
async function addClaim(accountId: string, body: BodyOf<"new-profile-claim">, context: Context): Promise<ProfileClaim> {
  const { authorSlug } = body;
  const { accounts, now } = context;
  const user = await findUser(accounts.db, accountId);
  if (user === null) throw accountGone();
  const researcher = await claimableResearcher(authorSlug, user.orcid, context);
  const row = await inAccount(accounts, accountId, async (trx, account) => {
    await requireNew(trx, accountId, researcher.id);
    await requireRoom(trx, "profileClaims", accountId);
    return insertClaim(trx, account, researcher, now().toISOString());
  });
  const [claim] = await shownClaims([row], context);
  if (claim === undefined) throw new Error(`the claim ${row.id} cannot be shown`);
  return claim;
}

async function requireNew(trx: Trx, accountId: string, researcherId: string): Promise<void> {
  const same = await trx
    .selectFrom("profile_claim")
    .select(["id", "state"])
    .where("account_id", "=", accountId)
    .where("researcher_id", "=", researcherId)
    .where("state", "in", STANDING)
    .executeTakeFirst();
  if (same === undefined) return;
  throw new ProblemError("duplicate", `You have claimed this researcher already: ${same.id} is ${same.state}.`);
}

/**
 * Inserts a claim. It is approved at once if the account has the researcher's ORCID iD, unless another account has an
 * approved claim; then a moderator decides.
 */
async function insertClaim(
  trx: Trx,
  account: AccountRow,
  { id: researcherId, slug }: KnownResearcher,
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
  if (account.orcid !== null && idOfOrcid(account.orcid) === researcherId) {
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
  asked: AccountListQuery,
  context: Context,
): Promise<Page<ProfileClaim>> {
  const { db } = context.accounts;
  const total = await countOf(db, "profileClaims", accountId);
  const rows = await claimRows(db, accountId).limit(asked.limit).offset(offsetOf(asked)).execute();
  return pageOf(await shownClaims(rows, context), total, asked);
}

/** Newest first. */
export function claimRows(db: Context["accounts"]["db"], accountId: string) {
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
async function deleteClaim(accountId: string, id: string, { accounts }: Context): Promise<void> {
  const claim = await inAccount(accounts, accountId, async (trx) => {
    const gone = await trx
      .deleteFrom("profile_claim")
      .where("id", "=", id)
      .where("account_id", "=", accountId)
      .returning("researcher_id")
      .executeTakeFirst();
    if (gone !== undefined) await deletePendingRequests(trx, accountId, gone.researcher_id);
    return gone;
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

/** Shows a hidden researcher only to the account with the approved claim. */
async function shownClaims(
  rows: readonly ClaimRow[],
  { accounts, active }: Pick<Context, "accounts" | "active">,
): Promise<ProfileClaim[]> {
  const ids = rows.map(({ researcher_id: id }) => id);
  const hidden = await hiddenAmong(accounts.db, ids);
  const researchers = await researcherRows(active, ids);
  return rows.map((row) => {
    const seen = row.state === "approved" || !hidden.has(row.researcher_id);
    return { ...keptClaim(row), researcher: (seen ? researchers.get(row.researcher_id) : null) ?? null };
  });
}

/** Returns the stored part of a claim. */
export function keptClaim(row: ClaimRow): Omit<ProfileClaim, "researcher"> {
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
