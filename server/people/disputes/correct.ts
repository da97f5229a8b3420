/** Correcting the answer to a dispute: another state and sentence in its place; the log has the earlier ones already. */

import { type AnsweredState, answeredState, MENDABLE } from "../../../schemas/public/dispute.ts";
import type { ScoreRelease } from "../../../schemas/public/release.ts";
import { mendedInOf } from "../account/mended-in.ts";
import type { Accounts } from "../accounts/index.ts";
import { addEvent } from "../moderation/audit.ts";
import { ModerationError } from "../moderation/moderation-error.ts";
import { answerEvent } from "./answer-event.ts";
import { type HeldDispute, heldDispute } from "./held-dispute.ts";

export interface Correction {
  readonly id: string;
  readonly state: AnsweredState;
  /** The sentence that takes the place of the earlier one, for everybody to read. */
  readonly answer: string;
  /** Why the earlier answer was wrong, for the log. */
  readonly reason: string;
  readonly by: string;
  readonly now: Date;
}

interface ToldAnswer {
  readonly state: AnsweredState;
  readonly answer: string;
  readonly mendedIn: ScoreRelease | null;
}

export interface Corrected extends ToldAnswer {
  readonly id: string;
  readonly earlier: ToldAnswer;
  readonly by: string;
  readonly at: string;
}

/**
 * A release in which it was mended stays named, unless nothing is to be mended any more.
 * @throws ModerationError where there is no such dispute, it has no answer, or this one
 */
export async function correctAnswer(
  { db, kind }: Pick<Accounts, "db" | "kind">,
  { id, state, answer, reason, by, now }: Correction,
): Promise<Corrected> {
  const at = now.toISOString();
  return db.transaction().execute(async (trx) => {
    const earlier = toldAnswer(id, await heldDispute(trx, kind, id));
    if (earlier.state === state && earlier.answer === answer) {
      throw new ModerationError(`${id} is answered in these words already (${state}); nothing was changed`);
    }
    const mendedIn = MENDABLE.includes(state) ? earlier.mendedIn : null;
    const unnamed = mendedIn === null ? { mended_version: null, mended_digest: null } : {};
    await trx
      .updateTable("dispute")
      .set({ state, answer, corrected_at: at, ...unnamed })
      .where("id", "=", id)
      .execute();
    // By its number, and not in its words: what is in the log once cannot be taken out of it.
    const said = await answerEvent(trx, id);
    const before = {
      earlierState: earlier.state,
      earlierEvent: said === undefined ? null : String(said.number),
      earlierMendedIn: earlier.mendedIn?.releaseDigest ?? null,
    };
    const event = { at, actor: by, action: "corrected", detail: { state, answer, ...before, reason } };
    await addEvent(trx, { ...event, subjectKind: "dispute", subjectId: id });
    return { id, state, answer, mendedIn, earlier, by, at };
  });
}

function toldAnswer(id: string, held: HeldDispute): ToldAnswer {
  const { answer } = held;
  const state = answeredState.safeParse(held.state).data;
  if (state === undefined || answer === null) throw unanswered(id, held.state);
  return { state, answer, mendedIn: mendedInOf(held) };
}

function unanswered(id: string, state: string): ModerationError {
  return new ModerationError(
    state === "open"
      ? `${id} is open: it has no answer that could be corrected; see \`share-release disputes answer\``
      : `${id} was taken back (${state}): nothing is told of it that could be corrected`,
  );
}
