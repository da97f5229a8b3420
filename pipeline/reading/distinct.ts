/** A count of the different things that a list of texts names. */

import type { Vocabularies } from "../vocabularies/index.ts";

/** Distinct texts; what is missing or a placeholder names nothing. */
export function countDistinct(texts: readonly (string | null)[], { placeholders }: Vocabularies): number {
  return new Set(texts.filter((text) => text !== null && !placeholders.isPlaceholder(text, "any"))).size;
}
