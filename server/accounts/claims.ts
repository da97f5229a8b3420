/** /account/profile-claims: claim to be a researcher, and withdraw the claim. */

import type { Selectable, Transaction } from "kysely";
import { idOfOrcid } from "../../pipeline/parse-identifier.ts";
import { claimKey, claimState, type ProfileClaim, type profileClaims } from "../../schemas/public/account/claim.ts";
import type { PossibleClaim } from "../../web/views/continue.ts";
import { ProblemError, respondDeleted } from "../http/response.ts";
import { type BodyOf, type Handlers, unknownKey } from "../http/routes.ts";
import { addEvent, ORCID_MODERATOR } from "./audit.ts";
import {
  type AccountRow,
  type AccountServices,
  accountDeleted,
  makeItemHandlers,
  requireFreePlace,
  type StoredItems,
  textOrNull,
  withLockedAccount,
} from "./items.ts";
import { type Moderated, ModerationError } from "./moderated.ts";
import { type FoundResearcher, findClaimable, hiddenAmong, researcherRows } from "./researchers.ts";
import { findUser, newId } from "./sessions.ts";
import type { AccountTables } from "./tables.ts";

type ClaimRow = Selectable<AccountTables["profile_claim"]>;
type Trx = Transaction<AccountTables>;
type Db = AccountServices["accounts"]["db"];

export const PROFILE_CLAIMS: StoredItems<ClaimRow, ProfileClaim> = {
  item: "profileClaims",
  table: "profile_claim",
  order: ["created_at", "id"],
  key: claimKey,
  // A hidden researcher is only shown to the account with the approved claim.
  show: async (rows, { accounts, active }) => {
    const ids = rows.map(({ researcher_id: id }) => id);
    const hidden = await hiddenAmong(accounts.db, ids);
    const researchers = await researcherRows(active, ids);
    return rows.map((row) => {
      const isShown = row.state === "approved" || !hidden.has(row.researcher_id);
      return { ...storedClaim(row), researcher: (isShown ? researchers.get(row.researcher_id) : null) ?? null };
    });
  },
  exportItems: (rows) => rows.map(storedClaim),
};

export const CLAIM_REQUESTS: Moderated<ClaimRow> = {
  kind: "claim",
  plural: "claims",
  letter: "c",
  table: "profile_claim",
  states: { pending: "pending", approved: "approved", rejected: "rejected" },
  mail: { about: "Your claim of a researcher page", path: "/me#claims" },
  describe: ({ researcher_id: id, slug, evidence }) => ({ asks: "claim", researcher: { id, slug }, reason: evidence }),
  decide: async (trx, { researcher_id: researcherId }, { verdict }) => {
    if (verdict === "approved") await requireUnclaimed(trx, researcherId);
    return { researcherId };
  },
};

function storedClaim(row: ClaimRow): Omit<ProfileClaim, "researcher"> {
  return {
    id: row.id,
    authorId: row.researcher_id,
    authorSlug: row.slug,
    evidence: row.evidence,
    state: claimState.parse(row.state),
    decisionReason: row.decision_reason,
    createdAt: row.created_at,
    decidedAt: row.decided_at,
  };
}

/** Returns the approved claim with these values; undefined if there is none. */
export function findApprovedClaim(
  db: Db,
  values: Partial<Pick<ClaimRow, "account_id" | "researcher_id" | "slug">>,
): Promise<ClaimRow | undefined> {
  return db
    .selectFrom("profile_claim")
    .selectAll()
    .where((row) => row.and({ ...values, state: "approved" }))
    .executeTakeFirst();
}

async function requireUnclaimed(trx: Trx, researcherId: string): Promise<void> {
  const approved = await findApprovedClaim(trx, { researcher_id: researcherId });
  if (approved === undefined) return;
  throw new ModerationError(
    `this researcher is already claimed: ${approved.id} was approved at ${approved.decided_at}, and a researcher can have only one approved claim; reject the new claim`,
  );
}

export function claimHandlers(services: AccountServices): Handlers<keyof typeof profileClaims.routes> {
  const { list, add } = makeItemHandlers(PROFILE_CLAIMS, services);
  return {
    "profile-claims": list,
    "new-profile-claim": add(addClaim),
    "withdraw-profile-claim": ({ signed, key }) => respondDeleted(deleteClaim(signed.accountId, key, services)),
  };
}

/** States of a claim that keep its account from claiming the same researcher again. */
const BLOCKING_STATES = ["pending", "approved"] as const;

/**
 * Adds a claim to a researcher's page. Approves it at once if the account has the researcher's ORCID iD, unless another
 * claim to this researcher was already approved.
 * @throws ProblemError `researcher-not-found`, `duplicate`, `account-full`
 */
async function addClaim(
  accountId: string,
  { authorSlug, evidence }: BodyOf<"new-profile-claim">,
  services: AccountServices,
): Promise<ClaimRow> {
  const { accounts, now } = services;
  const user = await findUser(accounts.db, accountId);
  if (user === null) throw accountDeleted();
  const researcher = await findClaimable(authorSlug, user.orcid, services);
  return withLockedAccount(accounts, accountId, async (trx, account) => {
    await requireNew(trx, accountId, researcher.id);
    await requireFreePlace(trx, PROFILE_CLAIMS, accountId);
    return insertClaim(trx, account, { ...researcher, evidence: textOrNull(evidence) }, now().toISOString());
  });
}

/**
 * Checks a claim by the rules of `addClaim` without adding it, and returns the facts that the user sees before sending
 * it.
 * @throws ProblemError `researcher-not-found`, `duplicate`, `account-full`
 */
export async function expectedClaim(
  accountId: string,
  authorSlug: string,
  context: Pick<AccountServices, "accounts" | "active">,
): Promise<Omit<PossibleClaim, "hasOrcid">> {
  const { db } = context.accounts;
  const user = await findUser(db, accountId);
  if (user === null) throw accountDeleted();
  const { id, slug } = await findClaimable(authorSlug, user.orcid, context);
  await requireNew(db, accountId, id);
  await requireFreePlace(db, PROFILE_CLAIMS, accountId);
  const isTaken = (await findApprovedClaim(db, { researcher_id: id })) !== undefined;
  return {
    slug,
    researcher: (await researcherRows(context.active, [id])).get(id) ?? null,
    accountOrcid: user.orcid,
    isTaken,
    isImmediate: !isTaken && isOwner(user.orcid, id),
  };
}

/** True if `orcid`, the iD of an account, belongs to the researcher. */
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
  throw new ProblemError(
    "duplicate",
    `You have already claimed this researcher: your claim ${same.id} is ${same.state}. You need not claim it again.`,
  );
}

/**
 * Inserts a claim. It is approved at once if the account has the researcher's ORCID iD, and no other account has an
 * approved claim. Otherwise a moderator decides.
 */
async function insertClaim(
  trx: Trx,
  account: AccountRow,
  { id: researcherId, slug, evidence }: FoundResearcher & Pick<ClaimRow, "evidence">,
  at: string,
): Promise<ClaimRow> {
  const row: ClaimRow = {
    id: newId("c"),
    account_id: account.id,
    researcher_id: researcherId,
    slug,
    evidence,
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
      const event = { at, actor: ORCID_MODERATOR, action: "approved", detail: { researcherId, reason: null } };
      await addEvent(trx, { ...event, subjectKind: "claim", subjectId: row.id });
      return approved;
    }
  }
  return trx.insertInto("profile_claim").values(row).returningAll().executeTakeFirstOrThrow();
}

/**
 * Withdraws a claim, and the account's pending requests to hide or show that researcher.
 * @throws ProblemError `not-found`, also if the claim belongs to another account
 */
async function deleteClaim(accountId: string, id: string, { accounts }: AccountServices): Promise<void> {
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
