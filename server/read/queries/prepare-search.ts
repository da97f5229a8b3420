/** Prepared search indexes: of each list the terms with their frequencies, and the positions of each term. */

import type { Database } from "../../../pipeline/engine/open.ts";
import { foldSearched, hasUnspaced, searchTerms } from "../../../pipeline/reading/search-terms.ts";
import { loadVocabularies, type Vocabularies } from "../../../pipeline/vocabularies/index.ts";
import { type ListName, TABLES } from "./lists.ts";
import { runAll } from "./run-all.ts";

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

/** Needs the tables that prepare-records.ts and prepare-aggregates.ts leave. */
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
