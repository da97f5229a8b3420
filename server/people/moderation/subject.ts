/** The subjects that wait for a moderator: claims, visibility requests and submissions, told apart by the letter of their ids. */

import { CLAIM_STATES } from "../../../schemas/public/account/claim.ts";
import type { SubjectKind } from "./audit.ts";

/** The states that can be asked for: `pending` and `approved` mean `queued` and `accepted` of a submission. */
export const MODERATION_STATES = CLAIM_STATES;
export type ModerationState = (typeof MODERATION_STATES)[number];

const LETTERS: Readonly<Record<string, SubjectKind>> = { c: "claim", v: "visibility", d: "submission" };

/** Null for what is no id of any of them. */
export function kindOf(id: string): SubjectKind | null {
  return /^[cvd][0-9a-f]{24}$/.test(id) ? (LETTERS[id.charAt(0)] ?? null) : null;
}

/** How a kind calls a state. */
export function stateOf(kind: SubjectKind, state: ModerationState): string {
  if (kind !== "submission") return state;
  return { pending: "queued", approved: "accepted", rejected: "rejected" }[state];
}
