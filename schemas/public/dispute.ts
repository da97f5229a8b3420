/** The words of disputes: what somebody says of a signal that a release has judged, and what became of it. */

import { z } from "zod";
import { scoreRelease } from "./release.ts";
import { contractId } from "./rubric.ts";
import { instant } from "./scalars.ts";
import { signalId, signalState } from "./signal.ts";

/** What is true in the eyes of who disputes. */
export const TRUTHS = ["present", "absent", "unknown"] as const;
export const truth = z
  .enum(TRUTHS, `must be one of ${TRUTHS.join(", ")}`)
  .describe("The truth in the eyes of who disputes: the dataset has it, has it not, or nobody can know.");
export type Truth = z.infer<typeof truth>;

/** The states of a dispute that was answered and is told to everybody. */
export const ANSWERED_STATES = ["upheld", "rejected", "source_must_mend"] as const;
export const answeredState = z
  .enum(ANSWERED_STATES)
  .describe(
    "`upheld`: the signal was judged wrongly, and a rule or a reader is mended. `rejected`: it stands. `source_must_mend`: what the repository publishes is wrong, and the score follows once that is mended.",
  );
export type AnsweredState = z.infer<typeof answeredState>;

/** The states of what can be mended: by us, or by the source. */
export const MENDABLE: readonly string[] = ["upheld", "source_must_mend"] satisfies readonly AnsweredState[];

export const DISPUTE_STATES = ["open", ...ANSWERED_STATES, "withdrawn"] as const;
export const disputeState = z
  .enum(DISPUTE_STATES)
  .describe(
    "`open` until a moderator answers or it is taken back; then what was answered, until a moderator corrects it, or `withdrawn`, for good.",
  );
export type DisputeState = z.infer<typeof disputeState>;

/** What is told of a dispute to everybody, and to who made it. */
export const disputedSignal = {
  contract: contractId.describe("The contract that the signal was judged by."),
  signal: signalId.describe("The signal that is said to be wrong."),
  publishedState: signalState.describe("Its state in the release that was disputed."),
  release: scoreRelease.describe("The release that was disputed."),
  says: truth,
};

export const mendedIn = scoreRelease
  .nullable()
  .describe("The release in which the signal has another state since; null where a moderator has named none.");

export const correctedAt = instant
  .nullable()
  .describe("The moment at which a moderator put this answer in the place of another; null where it is the first one.");

/** What a release says of a signal, in the words of those who dispute it. */
export function truthOf(state: z.infer<typeof signalState>): Truth {
  if (state === "passed") return "present";
  return state === "absent" ? "absent" : "unknown";
}
