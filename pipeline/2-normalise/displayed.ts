/**
 * The one place where what a source's normaliser read becomes text that is shown. Whatever a payload holds, and whatever
 * a normaliser lets through, no column of text that a page, a table, a CSV or a terminal shows has markup, control or
 * bidirectional characters. The exact text
 * of an affiliation is kept beside its label, with such characters escaped (institution.ts).
 */

import type { Creator, Facet, Normalised, RecordFields } from "../../schemas/internal/capture.ts";
import { EVIDENCE, type Evidence } from "../../schemas/public/evidence.ts";
import { FIELD_COLUMNS, LONGEST_WORDS } from "../../schemas/public/record-columns.ts";
import { STEERING } from "../reading/line-text.ts";
import { safeText } from "../reading/text.ts";

/** Characters of a facet, and of sentences. */
const WORD = 256;
const SENTENCE = 1000;

/** The same, to be shown. */
export function displayed(normalised: Normalised): Normalised {
  switch (normalised.outcome) {
    case "record":
      return {
        ...normalised,
        fields: fieldsOf(normalised.fields),
        evidence: evidenceOf(normalised.evidence),
        creators: normalised.creators.map(creatorOf),
        facets: facetsOf(normalised.facets),
      };
    case "failed":
      return { ...normalised, reason: safeText(normalised.reason, SENTENCE), fields: fieldsOf(normalised.fields) };
    default:
      return { ...normalised, reason: safeText(normalised.reason, SENTENCE) };
  }
}

function fieldsOf(fields: RecordFields): RecordFields {
  let shown = fields;
  for (const { field, reads } of FIELD_COLUMNS) {
    const text = fields[field] ?? null;
    const safe = SAFE[reads](text);
    if (safe !== text) shown = { ...shown, [field]: safe };
  }
  return shown;
}

/** Distinct values, in the order of the payload. Different values can be alike once they are safe to show. */
function facetsOf(facets: readonly Facet[]): Facet[] {
  const shown = facets.map((facet) => ({ ...facet, value: safeText(facet.value, WORD) }));
  return [...new Map(shown.map((facet) => [`${facet.kind} ${facet.value}`, facet])).values()];
}

const SAFE = {
  words: wordsOf,
  identifier: identifierOf,
  // A page shows it too: keys that differ in markup alone are one key.
  key: (text: string | null) => text && safeText(text, 2 * SENTENCE),
} as const;

function wordsOf(text: string | null): string | null {
  return text === null ? null : safeText(text, LONGEST_WORDS) || null;
}

/** What names something is as it was written, or names nothing. */
function identifierOf(text: string | null): string | null {
  return text === null || text.search(STEERING) >= 0 ? null : text;
}

const TEXTS = EVIDENCE.flatMap(({ name, type }) => (type === "text" ? [name] : []));

function evidenceOf(evidence: Evidence): Evidence {
  let shown = evidence;
  for (const name of TEXTS) {
    const text = evidence[name];
    const safe = typeof text === "string" ? safeText(text, SENTENCE) : text;
    if (safe !== text) shown = { ...shown, [name]: safe };
  }
  return shown;
}

function creatorOf(creator: Creator): Creator {
  const name = safeText(creator.name, SENTENCE);
  return name === creator.name ? creator : { ...creator, name: name || "(no name)" };
}
