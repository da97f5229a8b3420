/**
 * Persistent identifiers in a text: whether it says somewhere what it is of, in a form that others can follow: a DOI,
 * PMID, arXiv id, handle or address.
 */

/** One after the other: of each alone, a tool can prove that it takes linear time. */
const PIDS = [/\b10\.\d{4,9}\/\S/, /\bPMID:?\s*\d/i, /\barXiv:\s*\S/i, /\bhdl:\s*\S/i, /https?:\/\/\S/i];

export function hasPid(text: string): boolean {
  return PIDS.some((pid) => pid.test(text));
}
