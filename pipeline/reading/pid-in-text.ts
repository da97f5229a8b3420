/**
 * Persistent identifiers in a text: whether it says somewhere what it is of, in a form that others can follow: a DOI,
 * PMID, arXiv id, handle or address.
 */

import type { Vocabularies } from "../vocabularies/index.ts";

/** One after the other: of each alone, a tool can prove that it takes linear time. */
const PIDS = [/\b10\.\d{4,9}\/\S/, /\bPMID:?\s*\d/i, /\barXiv:\s*\S/i, /\bhdl:\s*\S/i, /https?:\/\/\S/i];

/** How many references have such an identifier in their words. */
export function identifiedIn(references: readonly string[], { noteUnidentified }: Vocabularies): number {
  const without = references.filter((text) => !PIDS.some((pid) => pid.test(text)));
  for (const text of without) noteUnidentified?.(text);
  return references.length - without.length;
}
