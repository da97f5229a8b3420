/** A moderator's answer to a dispute, which is given once, and the release in which it was mended, each with its entry in the log. */

import type { Transaction } from "kysely";
import { type DisputeState, MENDABLE } from "../../../schemas/public/dispute.ts";
import type { ScoreRelease } from "../../../schemas/public/release.ts";
import { FORGOTTEN } from "../account/forget-disputes.ts";
import { mendedInOf } from "../account/mended-in.ts";
import type { Accounts } from "../accounts/index.ts";
import type { AccountTables } from "../accounts/schema/tables.ts";
import { addEvent } from "../moderation/audit.ts";
import { ModerationError } from "../moderation/moderation-error.ts";
import { answerEvent } from "./answer-event.ts";
import { heldDispute } from "./held-dispute.ts";

type Store = Pick<Accounts, "db" | "kind">;
type Trx = Transaction<AccountTables>;

export interface DisputeAnswer {
  readonly id: string;
  readonly state: Exclude<DisputeState, "open">;
  /** A sentence, for everybody to read. */
  readonly answer: string;
  /** Who answers. */
  readonly by: string;
  readonly now: Date;
}

export interface AnsweredBy {
  readonly id: string;
  readonly state: string;
  readonly answer: string;
  readonly by: string;
  readonly at: string;
}

/**
 * What was taken back by other ways than the site is of nobody from then on, as if they had done so there.
 * @throws ModerationError where there is no such dispute, or it was answered before
 */
export async function answerDispute({ db, kind }: Store, given: DisputeAnswer): Promise<AnsweredBy> {
  const { id, state, answer, by } = given;
  const at = given.now.toISOString();
  return db.transaction().execute(async (trx) => {
    const found = await heldDispute(trx, kind, id);
    if (found.state !== "open") throw await answeredBefore(trx, id, found.state);
    const theirs = state === "withdrawn" ? FORGOTTEN : {};
    await trx
      .updateTable("dispute")
      .set({ state, answer, answered_at: at, ...theirs })
      .where("id", "=", id)
      .execute();
    const event = { at, actor: by, action: state, detail: { reason: answer } };
    await addEvent(trx, { ...event, subjectKind: "dispute", subjectId: id });
    return { id, state, answer, by, at };
  });
}

export interface Mending {
  readonly id: string;
  readonly release: ScoreRelease;
  /** Why the release that is named should not have been, for the log; null where none is to be replaced. */
  readonly reason: string | null;
  readonly by: string;
  readonly now: Date;
}

export interface Mended {
  readonly id: string;
  readonly state: string;
  readonly mendedIn: ScoreRelease;
  /** The release in whose place it comes; null where there was none. */
  readonly earlier: ScoreRelease | null;
  readonly by: string;
  readonly at: string;
}

/**
 * Another release takes the place of one that is named only where a reason is given.
 * @throws ModerationError where there is no such dispute, nothing was to be mended, this release is named already, another one is and no
 *   reason is given, or none is and one is given
 */
export async function noteMended({ db, kind }: Store, { id, release, reason, by, now }: Mending): Promise<Mended> {
  const at = now.toISOString();
  return db.transaction().execute(async (trx) => {
    const held = await heldDispute(trx, kind, id);
    const { state } = held;
    const earlier = mendedInOf(held);
    const before = earlier?.releaseDigest ?? null;
    if (!MENDABLE.includes(state)) throw new ModerationError(`${id} is ${state}: there is nothing to mend`);
    const { scoreReleaseVersion: version, releaseDigest: digest } = release;
    if (before === digest) throw new ModerationError(`${id} was mended in ${digest} already; nothing was changed`);
    if (before !== null && reason === null) throw namedBefore(id, before);
    if (before === null && reason !== null) throw namedNever(id);
    await trx
      .updateTable("dispute")
      .set({ mended_version: version, mended_digest: digest })
      .where("id", "=", id)
      .execute();
    const instead = before === null ? {} : { earlierMendedIn: before, reason };
    const event = { at, actor: by, action: "mended", detail: { release: version, digest, ...instead } };
    await addEvent(trx, { ...event, subjectKind: "dispute", subjectId: id });
    return { id, state, mendedIn: release, earlier, by, at };
  });
}

function namedBefore(id: string, before: string): ModerationError {
  return new ModerationError(`${id} was mended in ${before}; say why it is another with --because "…", for the log`);
}

function namedNever(id: string): ModerationError {
  return new ModerationError(`${id} has no release yet in whose place another one could come: leave --because out`);
}

async function answeredBefore(trx: Trx, id: string, state: string): Promise<ModerationError> {
  const last = await answerEvent(trx, id);
  const who = last === undefined ? "" : ` by ${last.actor} at ${last.at}`;
  const next = state === "withdrawn" ? "" : ", unless `share-release disputes correct` puts another in its place";
  return new ModerationError(`${id} was answered (${state})${who}; an answer stands${next}`);
}
