/** Prepared search indexes: of each list the terms with their frequencies, and the positions of each term. */

import type { Database } from "../../../pipeline/engine/open.ts";
import { idOfOrcid } from "../../../pipeline/identifiers/parse.ts";
import { orcidOf } from "../../../pipeline/reading/identifiers.ts";
import {
  foldSearched,
  hasUnspaced,
  type QueryWord,
  queryWords,
  searchTerms,
} from "../../../pipeline/reading/search-terms.ts";
import { withoutEnd, withoutStart } from "../../../pipeline/vocabularies/ends.ts";
import { loadVocabularies, type Vocabularies } from "../../../pipeline/vocabularies/index.ts";
import { type ListName, TABLES } from "./lists.ts";
import type { Parameters, Prepared } from "./prepared.ts";
import { runAll } from "./turns.ts";

/** Lists that can be searched. */
export type SearchedList = Exclude<ListName, "geography">;

interface Source {
  readonly list: SearchedList;
  /** Relation of term and position. */
  readonly indexed: string;
  /** Relation of position and text. */
  readonly texts: string;
}

/** The release has the terms of records; a DOI in it is one term, and the only kind that has a slash. */
const RECORDS: Source = {
  list: "records",
  indexed: `(select search.term, shown.position from search join ${TABLES.texts("records")} as shown on shown.id = search.id
    where not contains(search.term, '/'))`,
  texts: `(select position, title as text from ${TABLES.texts("records")})`,
};

function aggregated(list: "authors" | "institutions"): Source {
  return {
    list,
    indexed: `(select found.term, place.position from ${list}_found as found join ${list}_place as place on place.key = found.key)`,
    texts: `(select place.position, texts.text from ${list}_place as place join ${list}_text as texts on texts.key = place.key)`,
  };
}

/** Needs the tables of records and aggregates that prepared.ts makes. */
export async function prepareSearch(db: Database, signal: AbortSignal): Promise<void> {
  const { names } = await loadVocabularies();
  await prepareIndex(db, RECORDS, names, signal);
  for (const list of ["authors", "institutions"] as const) {
    await findTerms(db, list, names, signal);
    await prepareIndex(db, aggregated(list), names, signal);
    await runAll(
      db,
      ["found", "place", "text"].map((name) => `drop table ${list}_${name}`),
      signal,
    );
  }
}

/** The terms of every distinct text of a list: names and labels come back, each is folded once. */
async function findTerms(
  db: Database,
  list: "authors" | "institutions",
  names: Vocabularies["names"],
  signal: AbortSignal,
): Promise<void> {
  const found = {
    name: `${list}_found`,
    grain: "one term of a text",
    key: [],
    columns: { term: "text", key: "int" },
  } as const;
  await db.create(found);
  const appender = await db.appender(found);
  try {
    for await (const batch of db.stream(`select text, key from ${list}_text`)) {
      signal.throwIfAborted();
      for (const [text, key] of batch) {
        for (const term of searchTerms(String(text), null, names)) {
          appender.appendVarchar(term);
          appender.appendInteger(Number(key));
          appender.endRow();
        }
      }
    }
  } finally {
    appender.closeSync();
  }
}

async function prepareIndex(
  db: Database,
  { list, indexed, texts }: Source,
  names: Vocabularies["names"],
  signal: AbortSignal,
): Promise<void> {
  const terms = TABLES.terms(list);
  await runAll(
    db,
    [
      `create table ${terms} as
       select term, cast(row_number() over (order by term) as integer) as id, cast(count(*) as integer) as frequency
       from ${indexed} as indexed group by term order by term`,
      `create table ${TABLES.postings(list)} as
       select term.id as term, indexed.position from ${indexed} as indexed join ${terms} as term on term.term = indexed.term
       order by term.id, indexed.position`,
      `create table ${TABLES.unspaced(list)} (position integer, text varchar)`,
    ],
    signal,
  );
  await keepUnspaced(db, list, texts, names, signal);
}

/** Beyond Latin, Greek, Cyrillic and the scripts near them: what can hold, or fold to, a script without spaces. */
const BEYOND = "[\\x{0E00}-\\x{1FFF}\\x{2070}-\\x{10FFFF}]";

/** Folded texts with words in scripts without spaces: what a word inside them is verified against. */
async function keepUnspaced(
  db: Database,
  list: SearchedList,
  texts: string,
  names: Vocabularies["names"],
  signal: AbortSignal,
): Promise<void> {
  const kept = {
    name: `${list}_kept`,
    grain: "a folded text",
    key: [],
    columns: { position: "int", text: "text" },
  } as const;
  await db.create(kept);
  const appender = await db.appender(kept);
  try {
    for await (const batch of db.stream(
      `select position, text from ${texts} as texts where regexp_matches(text, $beyond)`,
      { beyond: BEYOND },
    )) {
      signal.throwIfAborted();
      for (const [position, text] of batch) {
        const folded = foldSearched(String(text), names);
        if (!hasUnspaced(folded)) continue;
        appender.appendInteger(Number(position));
        appender.appendVarchar(folded);
        appender.endRow();
      }
    }
  } finally {
    appender.closeSync();
  }
  const table = TABLES.unspaced(list);
  await runAll(
    db,
    [`insert into ${table} select position, text from ${kept.name} order by position`, `drop table ${kept.name}`],
    signal,
  );
}

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

/** Each join keeps a row of `listed` once or drops it. */
interface SearchJoins {
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
