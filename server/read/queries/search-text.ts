/** The meaning of a search text: words, what looks like a DOI, and ORCID iDs (decisions.md, "Requests", `search`). */

import { orcidOf } from "../../../pipeline/reading/identifiers.ts";
import { type QueryWord, queryWords } from "../../../pipeline/reading/search-terms.ts";
import { withoutEnd, withoutStart } from "../../../pipeline/vocabularies/ends.ts";
import type { Vocabularies } from "../../../pipeline/vocabularies/index.ts";

export interface SearchText {
  readonly words: readonly QueryWord[];
  /** Lower case, without resolver; each matches a DOI exactly or by prefix. */
  readonly dois: readonly string[];
  /** In four groups with hyphens; each is of one person. */
  readonly orcids: readonly string[];
}

/** What a list can be found by besides words. */
export type Names = "dois" | "orcids" | null;

/** Resolvers and schemes that DOIs are given with. */
const DOI_FORM = /^(?:(?:https?:\/\/)?(?:dx\.|www\.)?doi\.org\/|info:doi\/|(?:urn:)?doi:)/i;

/** A DOI or its beginning: the registrant's prefix, and whatever follows it. */
const DOI_LIKE = /^10\.\d{4,9}(?:\.\d+)*(?:\/\S*)?$/;

/** Quotes and brackets around a DOI. */
const OPENING = "\"'“‘(<[{";
const CLOSING = "\"'”’)>]}";

/** What ends a sentence that a DOI is the last word of. A DOI that does end so is found by what is before. */
const SENTENCE_END = ".,;:?!";

/** An ORCID iD in groups with spaces between them, which would be four words. */
const SPACED_ORCID = /\b(\d{4}) (\d{4}) (\d{4}) (\d{3}[\dXx])\b/g;

/** `by`: what the texts have besides words; all else is words. */
export function readSearch(text: string, names: Vocabularies["names"], by: Names): SearchText {
  const dois = new Set<string>();
  const orcids = new Set<string>();
  const rest: string[] = [];
  const whole = text.replace(/\bdoi:\s+(?=10\.)/gi, "doi:").replace(SPACED_ORCID, "$1-$2-$3-$4");
  for (const part of whole.split(/\s+/)) {
    const doi = by === "dois" ? doiLike(part) : null;
    const orcid = by === "orcids" ? orcidOf(withoutBrackets(withoutSentenceEnd(part))) : null;
    if (doi !== null) dois.add(doi);
    else if (orcid !== null) orcids.add(orcid);
    else rest.push(part);
  }
  return { words: queryWords(rest.join(" "), names), dois: [...dois], orcids: [...orcids] };
}

function doiLike(part: string): string | null {
  const ended = withoutSentenceEnd(part);
  for (const form of [ended, withoutBrackets(ended)]) {
    // Some write `doi:https://doi.org/…`; addresses that are copied may have the slash percent-encoded.
    const bare = form
      .replace(DOI_FORM, "")
      .replace(DOI_FORM, "")
      .replace(/^(10\.[\d.]+)%2f/i, "$1/");
    if (DOI_LIKE.test(bare)) return bare.toLowerCase();
  }
  return null;
}

/** The comma or semicolon after it in a list of DOIs as well. */
function withoutBrackets(text: string): string {
  return withoutEnd(withoutEnd(withoutStart(text, OPENING), ",;"), CLOSING);
}

/** Brackets and quotes go with the full stop that is before, behind or between them, and stay without one. */
function withoutSentenceEnd(text: string): string {
  const closed = withoutEnd(text, CLOSING);
  const ended = withoutEnd(closed, SENTENCE_END);
  return ended.length === closed.length ? text : withoutEnd(ended, CLOSING);
}
