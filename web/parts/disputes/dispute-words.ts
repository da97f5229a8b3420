/** Words for disputes: what is said to be true, and what became of it. */

import type { DisputeState, Truth } from "../../../schemas/public/dispute.ts";

export const TRUTH_WORDS: Readonly<Record<Truth, string>> = {
  present: "It is there",
  absent: "It is not there",
  unknown: "Nobody can tell",
};

export const DISPUTE_WORDS: Readonly<Record<DisputeState, string>> = {
  open: "somebody looks at it",
  upheld: "It was judged wrongly",
  rejected: "It stands",
  source_must_mend: "The repository has to mend it",
  withdrawn: "taken back",
};
