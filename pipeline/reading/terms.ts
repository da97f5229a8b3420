/** Subject terms and keywords, distinct after trimming and case folding; placeholders left out, and choices that say none ("Other"). */

import type { Vocabularies } from "../vocabularies/index.ts";
import { plainKey } from "../vocabularies/keys.ts";

/** How many distinct terms there are. */
export function countTerms(terms: readonly (string | null)[], vocabularies: Vocabularies): number {
  const distinct = new Set<string>();
  for (const term of terms) {
    if (term === null || vocabularies.placeholders.isPlaceholder(term, "term")) continue;
    const folded = plainKey(term);
    if (folded !== "") distinct.add(folded);
  }
  return distinct.size;
}
