/** /account/disputes: signals of records that one says are wrong. */

import type { Insertable, Selectable, Transaction } from "kysely";
import { disputeKey } from "../../../api-static/routes/account-keys.ts";
import { type Dispute, disputeRole } from "../../../schemas/public/account/dispute.ts";
import type { AccountListQuery } from "../../../schemas/public/account/list.ts";
import { MOST_DISPUTES_A_DAY, MOST_OPEN_DISPUTES } from "../../../schemas/public/account/me.ts";
import { disputeState, truth, truthOf } from "../../../schemas/public/dispute.ts";
import { contractId, PUBLIC_VERSIONS } from "../../../schemas/public/rubric.ts";
import { signalState } from "../../../schemas/public/signal.ts";
import { created, offsetOf, type Page, pageOf, removed, shown } from "../../frame/answering/private-answers.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { BodyOf, Handlers } from "../../frame/handler.ts";
import { unknownKey } from "../../frame/read-asked.ts";
import { malformedBody } from "../../frame/reading/read-body.ts";
import { attempt, forgetAttempts } from "../accounts/attempts.ts";
import type { Accounts } from "../accounts/index.ts";
import type { AccountTables } from "../accounts/schema/tables.ts";
import { addEvent, BY_APPLICANT } from "../moderation/audit.ts";
import { newId } from "../sign-in/secrets.ts";
import type { AccountContext } from "./context.ts";
import { countOf } from "./count-of.ts";
import { type DisputedSignal, disputedSignal } from "./disputed-signal.ts";
import { forgetDisputes } from "./forget-disputes.ts";
import { inAccount, requireRoom } from "./in-account.ts";
import { mendedInOf } from "./mended-in.ts";
import { recordRows } from "./release-rows.ts";

type DisputeRow = Selectable<AccountTables["dispute"]>;
type NewRow = Insertable<AccountTables["dispute"]>;
type Trx = Transaction<AccountTables>;
type Body = BodyOf<"new-dispute">;
type Context = Pick<AccountContext, "accounts" | "active" | "now">;

export function disputeHandlers(
  context: Context,
): Handlers<"disputes" | "new-dispute" | "dispute" | "withdraw-dispute"> {
  return {
    disputes: ({ signed: { accountId }, query }) => shown(listDisputes(accountId, query, context)),
    "new-dispute": ({ signed: { accountId }, body }) => created(addDispute(accountId, body, context)),
    dispute: ({ signed: { accountId }, key }) => shown(findDispute(accountId, key, context)),
    "withdraw-dispute": ({ signed: { accountId }, key }) => removed(deleteDispute(accountId, key, context)),
  };
}

/**
 * @throws ProblemError `invalid-body` where the release says the same, `claim-needed`, `dataset-not-found`,
 *   `rubric-not-published`, `duplicate`, `account-full`, `rate-limited`
 */
async function addDispute(accountId: string, body: Body, context: Context): Promise<Dispute> {
  const { recordId: id, signal, says, role, rubricVersion = PUBLIC_VERSIONS[0] } = body;
  const seen = await disputedSignal({ id, signal, rubricVersion }, context.active);
  requireDifference(body, seen);
  const row = await inAccount(context.accounts, accountId, async (trx) => {
    if (role === "creator") await requireCreator(trx, accountId, seen);
    await requireNew(trx, accountId, { signal, ...seen });
    await requireRoom(trx, "disputes", accountId);
    await requireFewOpen(trx, accountId);
    const now = context.now();
    await requireFewToday(trx, context.accounts.pseudonym(`dispute ${accountId}`), now);
    const at = now.toISOString();
    const made = await trx
      .insertInto("dispute")
      .values(newRow(accountId, body, seen, at))
      .returningAll()
      .executeTakeFirstOrThrow();
    const detail = { recordId: seen.recordId, contract: seen.contract, signal, says };
    const event = { at, actor: BY_APPLICANT, action: "opened", detail };
    await addEvent(trx, { ...event, subjectKind: "dispute", subjectId: made.id });
    return made;
  });
  await forgetAttempts(context.accounts.db, context.now());
  const [dispute] = await shownDisputes([row], context);
  if (dispute === undefined) throw new Error(`the dispute ${row.id} cannot be shown`);
  return dispute;
}

function requireDifference({ signal, says }: Body, { state }: DisputedSignal): void {
  if (truthOf(state) !== says) return;
  const message = `is what the active release says: ${signal} is ${state.replace("_", " ")}`;
  throw malformedBody([{ path: "says", message }]);
}

async function requireCreator(trx: Trx, accountId: string, { creators }: DisputedSignal): Promise<void> {
  const claims = await trx
    .selectFrom("profile_claim")
    .select("researcher_id")
    .where("account_id", "=", accountId)
    .where("state", "=", "approved")
    .execute();
  if (claims.some(({ researcher_id: id }) => creators.has(id))) return;
  throw new ProblemError(
    "claim-needed",
    "Only who has an approved claim of one of the record's creators can say that, or who speaks for its repository.",
  );
}

async function requireNew(
  trx: Trx,
  accountId: string,
  { recordId, contract, signal }: Pick<DisputedSignal, "recordId" | "contract"> & { readonly signal: string },
): Promise<void> {
  const same = await trx
    .selectFrom("dispute")
    .select("id")
    .where("account_id", "=", accountId)
    .where("record_id", "=", recordId)
    .where("contract", "=", contract)
    .where("signal", "=", signal)
    .where("state", "=", "open")
    .executeTakeFirst();
  if (same === undefined) return;
  throw new ProblemError("duplicate", `You have said this already: ${same.id} is open.`);
}

async function requireFewOpen(trx: Trx, accountId: string): Promise<void> {
  const { rows } = await trx
    .selectFrom("dispute")
    .select(({ fn }) => fn.countAll<number>().as("rows"))
    .where("account_id", "=", accountId)
    .where("state", "=", "open")
    .executeTakeFirstOrThrow();
  if (rows < MOST_OPEN_DISPUTES) return;
  throw new ProblemError(
    "account-full",
    `Of one account ${MOST_OPEN_DISPUTES} disputes may wait at a time; take one back, or wait for an answer.`,
  );
}

/** Opening and taking back leaves two lines of the log each time, which nothing removes. */
async function requireFewToday(trx: Trx, subject: string, now: Date): Promise<void> {
  const quota = { requests: MOST_DISPUTES_A_DAY, seconds: 24 * 3600 };
  const seconds = await attempt(trx, { kind: "dispute", subject, quota, now });
  if (seconds === null) return;
  throw new ProblemError(
    "rate-limited",
    `An account may open ${MOST_DISPUTES_A_DAY} disputes in 24 hours; try again in ${seconds} seconds.`,
    { headers: { "retry-after": String(seconds) } },
  );
}

function newRow(accountId: string, body: Body, { recordId, contract, state, release }: DisputedSignal, at: string) {
  const { role, signal, says, evidenceUrl = null, evidence = null, statement = "" } = body;
  return {
    id: newId("w"),
    account_id: accountId,
    role,
    record_id: recordId,
    contract,
    signal,
    signal_state: state,
    release_version: release.scoreReleaseVersion,
    release_digest: release.releaseDigest,
    says,
    evidence_url: evidenceUrl,
    evidence,
    statement: statement === "" ? null : statement,
    state: "open",
    created_at: at,
  } satisfies NewRow;
}

export async function listDisputes(
  accountId: string,
  asked: AccountListQuery,
  context: Pick<Context, "accounts" | "active">,
): Promise<Page<Dispute>> {
  const { db } = context.accounts;
  const total = await countOf(db, "disputes", accountId);
  const rows = await disputeRows(db, accountId).limit(asked.limit).offset(offsetOf(asked)).execute();
  return pageOf(await shownDisputes(rows, context), total, asked);
}

/** The newest first. */
export function disputeRows(db: Accounts["db"], accountId: string) {
  return db
    .selectFrom("dispute")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc");
}

/** @throws ProblemError `not-found`, also where it is somebody else's */
async function findDispute(accountId: string, id: string, context: Context): Promise<Dispute> {
  const rows = await disputeRows(context.accounts.db, accountId).where("id", "=", id).execute();
  const [found] = await shownDisputes(rows, context);
  if (found === undefined) throw unknownKey(disputeKey);
  return found;
}

/** @throws ProblemError `not-found`, also where it is somebody else's */
async function deleteDispute(accountId: string, id: string, { accounts, now }: Context): Promise<void> {
  const forgotten = await inAccount(accounts, accountId, (trx) =>
    forgetDisputes(trx, { accountId, id, at: now().toISOString() }),
  );
  if (forgotten === 0n) throw unknownKey(disputeKey);
}

async function shownDisputes(rows: readonly DisputeRow[], { active }: Pick<Context, "active">): Promise<Dispute[]> {
  const records = await recordRows(
    active,
    rows.map(({ record_id: id }) => id),
  );
  return rows.map((row) => ({ ...keptDispute(row), record: records.get(row.record_id) ?? null }));
}

/** The part of a dispute that the store has. */
export function keptDispute(row: DisputeRow): Omit<Dispute, "record"> {
  return {
    id: row.id,
    recordId: row.record_id,
    contract: contractId.parse(row.contract),
    signal: row.signal,
    publishedState: signalState.parse(row.signal_state),
    release: { scoreReleaseVersion: row.release_version, releaseDigest: row.release_digest },
    says: truth.parse(row.says),
    role: disputeRole.parse(row.role),
    evidenceUrl: row.evidence_url,
    evidence: row.evidence,
    statement: row.statement,
    state: disputeState.parse(row.state),
    answer: row.answer,
    createdAt: row.created_at,
    answeredAt: row.answered_at,
    correctedAt: row.corrected_at,
    mendedIn: mendedInOf(row),
  };
}
