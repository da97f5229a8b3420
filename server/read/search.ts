/** Reads the text of a search and finds the rows of a list that match its words, DOIs or ORCID iDs. */

import { idOfOrcid } from "../../pipeline/parse-identifier.ts";
import { readOrcid } from "../../pipeline/reading/identifiers.ts";
import { type QueryWord, queryWords } from "../../pipeline/reading/search-terms.ts";
import { withoutEnd, withoutStart } from "../../pipeline/vocabularies/ends.ts";
import { loadVocabularies, type Vocabularies } from "../../pipeline/vocabularies/index.ts";
import type { ListName } from "../../schemas/public/api/lists.ts";
import type { Condition } from "./filters.ts";
import { END, type SearchedList, TABLES } from "./list-tables.ts";
import type { Parameters, QueryEngine } from "./query-engine.ts";

export interface SearchText {
  readonly words: readonly QueryWord[];
  readonly dois: readonly string[];
  readonly orcids: readonly string[];
}

/** The identifiers that a search recognises besides words. */
export type SearchIdentifiers = "dois" | "orcids" | null;

/** Matches the resolver or scheme in front of a DOI, such as `https://doi.org/` or `doi:`. */
const DOI_FORM = /^(?:(?:https?:\/\/)?(?:dx\.|www\.)?doi\.org\/|info:doi\/|(?:urn:)?doi:)/i;

/** A DOI or its start: the prefix of the registrant, and any text after it. */
const DOI_LIKE = /^10\.\d{4,9}(?:\.\d+)*(?:\/\S*)?$/;

const OPENING = "\"'“‘(<[{";
const CLOSING = "\"'”’)>]}";

/**
 * Punctuation that may follow a DOI at the end of a sentence. If a DOI really ends in such a sign, the shortened DOI
 * still finds it, as its prefix.
 */
const SENTENCE_END = ".,;:?!";

/** Matches an ORCID iD with spaces between its groups, which would otherwise be four words. */
const SPACED_ORCID = /\b(\d{4}) (\d{4}) (\d{4}) (\d{3}[\dXx])\b/g;

/** Splits the text of a search into identifiers and words. `by` says which kind of identifiers to recognise. */
export function readSearch(text: string, names: Vocabularies["names"], by: SearchIdentifiers): SearchText {
  const dois = new Set<string>();
  const orcids = new Set<string>();
  const rest: string[] = [];
  const normalised = text.replace(/\bdoi:\s+(?=10\.)/gi, "doi:").replace(SPACED_ORCID, "$1-$2-$3-$4");
  for (const part of normalised.split(/\s+/)) {
    const doi = by === "dois" ? doiLike(part) : null;
    const orcid = by === "orcids" ? readOrcid(withoutBrackets(withoutSentenceEnd(part))) : null;
    if (doi !== null) dois.add(doi);
    else if (orcid !== null) orcids.add(orcid);
    else rest.push(part);
  }
  return { words: queryWords(rest.join(" "), names), dois: [...dois], orcids: [...orcids] };
}

function doiLike(part: string): string | null {
  const ended = withoutSentenceEnd(part);
  for (const form of [ended, withoutBrackets(ended)]) {
    // Some users write `doi:https://doi.org/…`. In copied URLs the slash may be percent-encoded.
    const bare = form
      .replace(DOI_FORM, "")
      .replace(DOI_FORM, "")
      .replace(/^(10\.[\d.]+)%2f/i, "$1/");
    if (DOI_LIKE.test(bare)) return bare.toLowerCase();
  }
  return null;
}

/** Removes brackets and quotes around a text, and a comma or semicolon after a DOI in a list. */
function withoutBrackets(text: string): string {
  return withoutEnd(withoutEnd(withoutStart(text, OPENING), ",;"), CLOSING);
}

/**
 * Removes the punctuation at the end of a sentence, and any brackets and quotes around it. If there is no punctuation,
 * brackets and quotes stay.
 */
function withoutSentenceEnd(text: string): string {
  const closed = withoutEnd(text, CLOSING);
  const ended = withoutEnd(closed, SENTENCE_END);
  return ended.length === closed.length ? text : withoutEnd(ended, CLOSING);
}

/**
 * Number of terms of which each is looked up in the whole index, the rarest first. Further terms are looked up only in
 * the rows that have the rarest.
 */
const SINGLE_TERMS = 4;

/** Returns the conditions of a search. Null if nothing can match, for example because a term is not in the index. */
export async function searchConditions(
  engine: QueryEngine,
  list: ListName,
  { words, dois, orcids }: SearchText,
): Promise<Condition[] | null> {
  const searched = [...new Set(words.flatMap(({ terms }) => terms))];
  const terms = await rarestFirst(engine, list, searched);
  // If all DOIs are prefixes of one, the longest is enough.
  const doi = dois.reduce((one, other) => (other.length > one.length ? other : one), "");
  const [orcid = "", another] = orcids;
  // A researcher has only one ORCID iD.
  if (terms.length < searched.length || !dois.every((other) => doi.startsWith(other)) || another !== undefined)
    return null;
  const inside = words.flatMap((word) => (word.inside === null ? [] : [word.inside]));
  return [
    ...termConditions(list, terms),
    ...(doi === "" ? [] : [doiCondition(doi)]),
    ...(orcid === "" ? [] : [personCondition(list, orcid)]),
    ...(inside.length === 0 ? [] : [insideCondition(list, inside)]),
  ];
}

/**
 * Returns the ids of the terms that the search index has, the rarest first. Terms that it does not have are left out.
 */
async function rarestFirst(engine: QueryEngine, list: ListName, terms: readonly string[]): Promise<number[]> {
  if (terms.length === 0) return [];
  const parameters = named("term", terms);
  const rows = await engine.rows(
    `select id from ${TABLES.terms(list)} where term in (${placeholders(parameters)}) order by frequency, id`,
    parameters,
  );
  return rows.map(([id]) => Number(id));
}

function termConditions(list: ListName, terms: readonly number[]): Condition[] {
  const postings = TABLES.postings(list);
  const single = terms.slice(0, SINGLE_TERMS).map((term) => ({
    positions: `select position from ${postings} where term = $term`,
    parameters: { term },
  }));
  if (terms.length <= SINGLE_TERMS) return single;
  const further = named("further", terms.slice(SINGLE_TERMS));
  const rarest = terms[0] ?? 0;
  const counted = `select other.position from ${postings} as rarest join ${postings} as other on other.position = rarest.position
    where rarest.term = $rarest and other.term in (${placeholders(further)})
    group by other.position having count(*) = ${terms.length - SINGLE_TERMS}`;
  return [...single, { positions: counted, parameters: { rarest, ...further } }];
}

function doiCondition(doi: string): Condition {
  return {
    positions: `select position from ${TABLES.dois} where doi between $doi and $doiEnd`,
    parameters: { doi, doiEnd: doi + END },
  };
}

function personCondition(list: ListName, orcid: string): Condition {
  return {
    positions: `select position from ${TABLES.texts(list)} where id = $person`,
    parameters: { person: idOfOrcid(orcid) },
  };
}

/**
 * Requires that a text contains each whole word. The index has only pairs of characters, and these may be at different
 * places of the text.
 */
function insideCondition(list: ListName, words: readonly string[]): Condition {
  const parameters = named("inside", words);
  const holds = Object.keys(parameters).map((name) => `contains(text, $${name})`);
  return { positions: `select position from ${TABLES.unspaced(list)} where ${holds.join(" and ")}`, parameters };
}

function named<T extends string | number>(name: string, values: readonly T[]): Record<string, T> {
  return Object.fromEntries(values.map((value, i) => [`${name}${i}`, value]));
}

function placeholders(parameters: Parameters): string {
  return Object.keys(parameters)
    .map((name) => `$${name}`)
    .join(", ");
}

const MAX_COMPLETIONS = 3;

/**
 * Returns up to three searches that complete the last word of `typed`. If the index already has this word, returns only
 * `typed`, because the lists find whole words.
 */
export async function completions(
  engine: Pick<QueryEngine, "rows">,
  list: SearchedList,
  typed: string,
): Promise<string[]> {
  const { names } = loadVocabularies();
  const words = queryWords(typed, names);
  const last = words.at(-1);
  // A script without spaces needs no completion: the index finds any part of a text.
  if (last === undefined || last.inside !== null) return [typed];
  const [start = ""] = last.terms;
  const rows = await engine.rows(
    `select term from ${TABLES.terms(list)} where term >= $start and term < $stop
     order by term = $start desc, frequency desc, term limit ${MAX_COMPLETIONS}`,
    { start, stop: start + END },
  );
  if (rows[0]?.[0] === start) return [typed];
  const before = words.slice(0, -1).flatMap(({ terms }) => terms);
  return rows.map(([term]) => [...before, String(term)].join(" "));
}

/** Largest number of words that are corrected in a search. Further words stay as typed. */
const MAX_CORRECTED = 6;

/** Smallest length of a word that is corrected. Too many other words are similar to a shorter one. */
const MIN_CORRECTED = 4;

/** Smallest length of a word in which two wrong letters are corrected. In shorter words, only one is. */
const LONG_WORD = 8;

interface Respelling {
  readonly words: string;
  /** Number of corrected letters. */
  readonly distance: number;
}

/**
 * Returns the search with each unknown word replaced by the known word of the most similar spelling. Null if every word
 * is known, or if no unknown word has a similar one. The first letter of a word must be right, so that only the terms
 * with this letter are read.
 */
export async function respelling(
  engine: Pick<QueryEngine, "rows">,
  list: SearchedList,
  typed: string,
): Promise<Respelling | null> {
  const { names } = loadVocabularies();
  const words = queryWords(typed, names);
  if (words.some(({ inside }) => inside !== null)) return null;
  const typedWords = words.flatMap(({ terms }) => terms);
  const corrected: Respelling[] = [];
  for (const [i, word] of typedWords.entries()) {
    const similar = i < MAX_CORRECTED ? await similarTerm(engine, list, word) : null;
    corrected.push(similar ?? { words: word, distance: 0 });
  }
  const distance = corrected.reduce((sum, each) => sum + each.distance, 0);
  return distance === 0 ? null : { words: corrected.map((each) => each.words).join(" "), distance };
}

/** Returns the most similar term, which is `word` itself if it is a term; null if there is none. */
async function similarTerm(
  engine: Pick<QueryEngine, "rows">,
  list: SearchedList,
  word: string,
): Promise<Respelling | null> {
  if (word.length < MIN_CORRECTED) return null;
  const [first = ""] = word;
  const rows = await engine.rows(
    `select term, distance from (
       select term, frequency, damerau_levenshtein(term, $word) as distance from ${TABLES.terms(list)}
       where term >= $first and term < $stop and length(term) between $least and $most)
     where distance <= $distance order by distance, frequency desc, term limit 1`,
    {
      word,
      first,
      stop: first + END,
      least: word.length - 1,
      most: word.length + 1,
      distance: word.length < LONG_WORD ? 1 : 2,
    },
  );
  const [found] = rows;
  return found === undefined ? null : { words: String(found[0]), distance: Number(found[1]) };
}

/**
 * Returns SQL for the names that match a text: each word of `text` must be the beginning of a word in the name or, if
 * `isSimilar`, have a similar spelling. Only the most similar names are found. `named` is SQL for distinct names.
 */
export function namesLike(
  named: string,
  text: string,
  isSimilar: boolean,
): { readonly sql: string; readonly parameters: Parameters } {
  const writeWordsSql = (column: string) =>
    `unnest(regexp_extract_all(lower(strip_accents(${column})), '[\\p{L}\\p{N}]+')) as word`;
  const similar = `length(typed.word) >= ${MIN_CORRECTED} and abs(length(part.word) - length(typed.word)) <= 1
    and damerau_levenshtein(part.word, typed.word) <= if(length(typed.word) < ${LONG_WORD}, 1, 2)`;
  return {
    sql: `
      with part as (select name, ${writeWordsSql("name")} from (${named}) as named),
      typed as (select distinct ${writeWordsSql("$text")}),
      near as (
        select part.name, typed.word, min(if(starts_with(part.word, typed.word), 0, damerau_levenshtein(part.word, typed.word))) as distance
        from part join typed on starts_with(part.word, typed.word)${isSimilar ? ` or (${similar})` : ""}
        group by all
      )
      select name from near group by name having count(*) = (select count(*) from typed)
      qualify sum(distance) = min(sum(distance)) over ()`,
    parameters: { text },
  };
}
