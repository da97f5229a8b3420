/** Subject terms and keywords, distinct after trimming and case folding; placeholders left out, and choices that say none ("Other"). */

import type { Vocabularies } from "../vocabularies/index.ts";
import { foldSpace } from "./text.ts";

/** How many distinct terms there are. */
export function countTerms(terms: readonly (string | null)[], vocabularies: Vocabularies): number {
  const distinct = new Set<string>();
  for (const term of terms) {
    if (term === null || vocabularies.placeholders.isPlaceholder(term, "term")) continue;
    const folded = foldSpace(term).toLowerCase();
    if (folded !== "") distinct.add(folded);
  }
  return distinct.size;
}
