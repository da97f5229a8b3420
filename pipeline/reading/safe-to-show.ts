/** Makes the texts of a normalised payload safe to show: without markup, control characters and invalid identifiers. */

import type { CapturedFacet, Creator, Normalised, RecordFields } from "../../schemas/internal/capture.ts";
import { EVIDENCE, type Evidence } from "../../schemas/public/evidence.ts";
import { FIELD_COLUMNS, MAX_TEXT } from "../../schemas/public/record-columns.ts";
import { STEERING, safeText } from "./text.ts";

/** Longest facet value (`WORD`) and longest sentence, in characters. */
const WORD = 256;
const SENTENCE = 1000;

/** Returns a normalised payload after cleaning or removing texts that are not safe to show. */
export function makeSafeToShow(normalised: Normalised): Normalised {
  switch (normalised.outcome) {
    case "record":
      return {
        ...normalised,
        fields: cleanFields(normalised.fields),
        evidence: cleanEvidence(normalised.evidence),
        creators: normalised.creators.map(cleanCreator),
        facets: cleanFacets(normalised.facets),
      };
    case "failed":
      return { ...normalised, reason: safeText(normalised.reason, SENTENCE), fields: cleanFields(normalised.fields) };
    default:
      return { ...normalised, reason: safeText(normalised.reason, SENTENCE) };
  }
}

function cleanFields(fields: RecordFields): RecordFields {
  let safeFields = fields;
  for (const { field, reads } of FIELD_COLUMNS) {
    const text = fields[field] ?? null;
    const safe = SAFE[reads](text);
    if (safe !== text) safeFields = { ...safeFields, [field]: safe };
  }
  return safeFields;
}

function cleanFacets(facets: readonly CapturedFacet[]): CapturedFacet[] {
  const safeFacets = facets.map((facet) => ({ ...facet, value: safeText(facet.value, WORD) }));
  return [...new Map(safeFacets.map((facet) => [`${facet.kind} ${facet.value}`, facet])).values()];
}

const SAFE = {
  words: cleanWords,
  identifier: cleanIdentifier,
  // Pages show keys. Keys that differ only in markup become equal.
  key: (text: string | null) => text && safeText(text, 2 * SENTENCE),
} as const;

function cleanWords(text: string | null): string | null {
  return text === null ? null : safeText(text, MAX_TEXT) || null;
}

/** Returns an identifier, or null if it is not safe to show. */
function cleanIdentifier(text: string | null): string | null {
  return text === null || text.search(STEERING) >= 0 ? null : text.toWellFormed();
}

const TEXTS = EVIDENCE.flatMap(({ name, type }) => (type === "text" ? [name] : []));

function cleanEvidence(evidence: Evidence): Evidence {
  let safeEvidence = evidence;
  for (const name of TEXTS) {
    const text = evidence[name];
    const safe = typeof text === "string" ? safeText(text, SENTENCE) : text;
    if (safe !== text) safeEvidence = { ...safeEvidence, [name]: safe };
  }
  return safeEvidence;
}

function cleanCreator(creator: Creator): Creator {
  const name = safeText(creator.name, SENTENCE);
  return name === creator.name ? creator : { ...creator, name: name || "(no name)" };
}
