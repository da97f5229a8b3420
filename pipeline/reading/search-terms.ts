/** Computes the search terms of a record, for plain-text search (decisions.md, `search`). */

import type { EvidenceName } from "../../schemas/public/evidence.ts";
import type { Vocabularies } from "../vocabularies/index.ts";
import { plainKey } from "../vocabularies/read-table.ts";

/** Matches characters of scripts that have no spaces between words, such as Chinese. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Matches folded text that only has Latin words. */
const PLAIN = /^[a-z0-9 ]*$/;
const MAX_TERM_LENGTH = 64;

/**
 * Returns the distinct search terms of a title and a DOI, sorted: folded words and the DOI. In scripts without spaces, each
 * character and each pair of neighbouring characters is a term, because pairs are enough to find longer words.
 */
export function searchTerms(title: string | null, doi: string | null, names: Vocabularies["names"]): string[] {
  const terms = new Set<string>();
  const folded = foldSearched(title ?? "", names);
  const words = PLAIN.test(folded) ? folded.split(" ") : (folded.match(WORD) ?? []);
  for (const word of words) {
    if (PLAIN.test(word)) {
      if (word !== "") terms.add(word.slice(0, MAX_TERM_LENGTH));
      continue;
    }
    for (const [run] of word.matchAll(UNSPACED)) addPairs(terms, run);
    for (const spaced of word.split(UNSPACED)) if (spaced !== "") terms.add(spaced.slice(0, MAX_TERM_LENGTH));
  }
  if (doi !== null) terms.add(doi);
  return [...terms].sort();
}

/**
 * Matches apostrophes and characters that are used like them. In titles, they separate words; in names, they are
 * removed, so that O'Hara becomes ohara.
 */
const APOSTROPHES = /['’‘‛′´`＇]/g;

/**
 * Matches characters that are dropped: accents of every script, points of Hebrew, marks of Arabic, voicing marks of kana,
 * and the nuktas of Devanagari, Bengali, Gurmukhi, Oriya and Kaithi. Vowel signs of Indic scripts stay, because they are
 * letters.
 */
const ACCENTS = /\p{Script=Inherited}|(?=\p{Mn})\p{Script=Hebrew}|[\u093c\u09bc\u0a3c\u0b3c\u{110ba}]/gu;

/**
 * Folds text for the search index and for queries. Drops more marks than `foldText`, which folds names: и and й are
 * different letters in names, but the same in a search.
 */
export function foldSearched(text: string, names: Vocabularies["names"]): string {
  const folded = names.foldText(text.replace(APOSTROPHES, " "));
  return PLAIN.test(folded) ? folded : folded.normalize("NFD").replace(ACCENTS, "").normalize("NFC");
}

/** True if a folded text has words in a script without spaces. */
export function hasUnspaced(folded: string): boolean {
  return folded.search(UNSPACED) >= 0;
}

/**
 * One word of a query, and the search terms that a record with this word has. In a script without spaces, the terms are
 * pairs of characters, which could also occur at separate places of a text. The text must then be checked for the word
 * `inside`; otherwise `inside` is null.
 */
export interface QueryWord {
  readonly terms: readonly string[];
  readonly inside: string | null;
}

/** Returns the distinct words of a query. A query without letters and digits has none. */
export function queryWords(text: string, names: Vocabularies["names"]): QueryWord[] {
  const words = new Set(foldSearched(text, names).match(WORD) ?? []);
  return [...words].map((word) => {
    if (!hasUnspaced(word)) return { terms: [word.slice(0, MAX_TERM_LENGTH)], inside: null };
    const terms = unspacedTerms(word);
    return { terms, inside: terms[0] === word ? null : word };
  });
}

/**
 * Returns the search terms of a word in a script without spaces: each pair of neighbouring characters, or a single
 * character as it is. Parts in other scripts are terms as a whole.
 */
function unspacedTerms(word: string): string[] {
  const terms = new Set<string>(
    word
      .split(UNSPACED)
      .filter((part) => part !== "")
      .map((part) => part.slice(0, MAX_TERM_LENGTH)),
  );
  for (const [run] of word.matchAll(UNSPACED)) {
    const characters = Array.from(run);
    if (characters.length === 1) terms.add(run);
    characters.slice(1).forEach((character, i) => {
      terms.add(`${characters[i]}${character}`);
    });
  }
  return [...terms];
}

function addPairs(terms: Set<string>, run: string): void {
  const characters = Array.from(run);
  characters.forEach((character, i) => {
    terms.add(character);
    const next = characters[i + 1];
    if (next !== undefined) terms.add(character + next);
  });
}

/** Counts the distinct terms for an evidence column. Placeholders such as "none" do not count. */
export function countTerms(
  evidence: EvidenceName,
  terms: readonly (string | null)[],
  { placeholders, note }: Vocabularies,
): number {
  const distinct = new Set<string>();
  for (const term of terms) {
    if (term === null) continue;
    const folded = placeholders.isPlaceholder(term, "term") ? "" : plainKey(term);
    if (distinct.has(folded)) continue;
    note?.(evidence, term, folded !== "");
    if (folded !== "") distinct.add(folded);
  }
  return distinct.size;
}
