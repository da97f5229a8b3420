/** The refusals of a release: those of its sources, added up. */

import type { SourceReceipt } from "../../schemas/public/release.ts";

/** Refusals of all sources by reason. */
export function totalRefused(sources: readonly SourceReceipt[]): SourceReceipt["refused"] {
  const total: SourceReceipt["refused"] = {};
  for (const { refused } of sources) {
    for (const [reason, count] of Object.entries(refused) as [keyof typeof refused, number][]) {
      total[reason] = (total[reason] ?? 0) + count;
    }
  }
  return total;
}
