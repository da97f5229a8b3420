/** A search as SQL: joins with the index that leave the rows which have every term. */

import { idOfOrcid } from "../../../pipeline/identifiers/id-range.ts";
import { type ListName, TABLES } from "./lists.ts";
import type { Parameters, Prepared } from "./prepared.ts";
import type { SearchText } from "./search-text.ts";

/** Each join keeps a row of `listed` once or drops it. */
export interface SearchJoins {
  readonly joins: readonly string[];
  readonly parameters: Parameters;
}

/** After the greatest character in the order of UTF-8: the end of all texts that begin alike. */
const END = "\u{10ffff}";

/** Terms that are joined one by one, the rarest first; of a longer search the rest is counted among those that have the rarest. */
const JOINED_TERMS = 4;

/** Null where nothing can be found: a term is nowhere, or the DOIs begin differently. */
export async function searchJoins(
  prepared: Prepared,
  list: ListName,
  { words, dois, orcids }: SearchText,
): Promise<SearchJoins | null> {
  const wanted = [...new Set(words.flatMap(({ terms }) => terms))];
  const terms = await rarestFirst(prepared, list, wanted);
  // Of DOIs that all are beginnings of one, the longest says it all.
  const doi = dois.reduce((one, other) => (other.length > one.length ? other : one), "");
  const [orcid = "", another] = orcids;
  // Nobody has two.
  if (terms.length < wanted.length || !dois.every((other) => doi.startsWith(other)) || another !== undefined)
    return null;
  const inside = words.flatMap((word) => (word.inside === null ? [] : [word.inside]));
  const parts = [termJoins(list, terms), doiJoin(doi), personJoin(list, orcid), insideJoin(list, inside)];
  return {
    joins: parts.flatMap(({ joins }) => joins),
    parameters: Object.assign({}, ...parts.map(({ parameters }) => parameters)),
  };
}

/** Numbers of the terms that the index has. */
async function rarestFirst(prepared: Prepared, list: ListName, terms: readonly string[]): Promise<number[]> {
  if (terms.length === 0) return [];
  const parameters = named("term", terms);
  const rows = await prepared.rows(
    `select id from ${TABLES.terms(list)} where term in (${placeholders(parameters)}) order by frequency, id`,
    parameters,
  );
  return rows.map(([id]) => Number(id));
}

function termJoins(list: ListName, terms: readonly number[]): SearchJoins {
  const postings = TABLES.postings(list);
  const joined = terms.slice(0, JOINED_TERMS);
  const counted = named("counted", terms.slice(JOINED_TERMS));
  const joins = joined.map(
    (_, i) => `join ${postings} as term${i} on term${i}.position = listed.position and term${i}.term = $term${i}`,
  );
  if (terms.length > JOINED_TERMS) {
    joins.push(`join (
      select other.position from ${postings} as rarest join ${postings} as other on other.position = rarest.position
      where rarest.term = $term0 and other.term in (${placeholders(counted)})
      group by other.position having count(*) = ${terms.length - JOINED_TERMS}
    ) as counted on counted.position = listed.position`);
  }
  return { joins, parameters: { ...named("term", joined), ...counted } };
}

function doiJoin(doi: string): SearchJoins {
  if (doi === "") return { joins: [], parameters: {} };
  return {
    joins: [`join ${TABLES.dois} as found on found.position = listed.position and found.doi between $doi and $doiEnd`],
    parameters: { doi, doiEnd: doi + END },
  };
}

function personJoin(list: ListName, orcid: string): SearchJoins {
  if (orcid === "") return { joins: [], parameters: {} };
  return {
    joins: [`join ${TABLES.texts(list)} as person on person.position = listed.position and person.id = $person`],
    parameters: { person: idOfOrcid(orcid) },
  };
}

/** Pairs of a word can lie apart in a text: the text must have the word as a whole. */
function insideJoin(list: ListName, words: readonly string[]): SearchJoins {
  if (words.length === 0) return { joins: [], parameters: {} };
  const parameters = named("inside", words);
  const holds = Object.keys(parameters).map((name) => `contains(folded.text, $${name})`);
  return {
    joins: [`join ${TABLES.unspaced(list)} as folded on folded.position = listed.position and ${holds.join(" and ")}`],
    parameters,
  };
}

function named<T extends string | number>(name: string, values: readonly T[]): Record<string, T> {
  return Object.fromEntries(values.map((value, i) => [`${name}${i}`, value]));
}

function placeholders(parameters: Parameters): string {
  return Object.keys(parameters)
    .map((name) => `$${name}`)
    .join(", ");
}
