/** Why a dataset has no score: the same on its card, in the picture of a preview and in the words beside both. */

import type { ScoreStatus } from "../../schemas/public/api/record.ts";

/** A clause, without a capital and a full stop. */
export function whyUnscored(status: ScoreStatus): string {
  return status === "failed" ? "the record could not be read" : "too little could be judged";
}
