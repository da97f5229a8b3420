/** Coverage under one public version: the receipt's own is that of the default version. */

import type { Coverage, RubricReceipt } from "../../schemas/public/release.ts";

/** What could be read is the same under all versions; how much of it has a total is not. */
export function coverageUnder(coverage: Coverage, { insufficient }: Pick<RubricReceipt, "insufficient">): Coverage {
  return { ...coverage, insufficient, scored: coverage.scored + coverage.insufficient - insufficient };
}
