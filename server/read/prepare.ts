/**
 * Makes the prepared tables, which queries read, from the tables of a release: `narrow` to filter and sort by, `sorted`
 * for each order, and `wide` with texts. These are attached databases (prepared-tables.ts).
 */

import { type Database, quote } from "../../pipeline/engine/open.ts";
import { RESTORE } from "../../pipeline/packs/format.ts";
import { LISTED_SCORE } from "../../pipeline/pages/listings.ts";
import { foldSearched, hasUnspaced, searchTerms } from "../../pipeline/reading/search-terms.ts";
import { readPledges, supportedMask } from "../../pipeline/sources/pledges.ts";
import { loadVocabularies, type Vocabularies } from "../../pipeline/vocabularies/index.ts";
import { ORDERS, type Order } from "../../schemas/public/api/lists.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { AGGREGATES, type AggregateName, type SearchedList, SHARED_COLUMNS, TABLES } from "./list-tables.ts";

/**
 * Makes all prepared tables from the tables of a release; `signal` cancels between two statements.
 * @throws Error if the number of records in the release differs from that in its receipt
 */
export async function prepare(db: Database, receipt: Receipt, signal: AbortSignal): Promise<void> {
  await prepareRecords(db, receipt, signal);
  await prepareAggregates(db, receipt, signal);
  await runAll(db, [JOINS], signal);
  await prepareSearch(db, signal);
}

const RECORDS = new URL("./records.sql", import.meta.url);

/** Statements that collect the countries of each record. They run after RECORDS, once for each range of positions. */
const COUNTRIES = new URL("./countries.sql", import.meta.url);

/** Statements that create codes and ranks for texts, because numbers are compared faster. They run after COUNTRIES. */
const KEYS = new URL("./keys.sql", import.meta.url);

/**
 * Statements that create tables with the positions of records by DOI, facet and alias. They run after KEYS, and drop
 * tables that queries do not need.
 */
const POSITIONS = new URL("./positions.sql", import.meta.url);

/**
 * Statements that create tables with the positions of records by organisation, funder, award and researcher. They run
 * when the tables of records and researchers are finished.
 */
const JOINS = new URL("./joins.sql", import.meta.url);

/** The columns of a score by which lists can be ordered. */
const ORDERED_SCORE = LISTED_SCORE.filter((name) => !name.endsWith("_mask"));

/**
 * Returns SQL that creates the table of records with the columns to filter and order by. A record that could not be
 * read has no score, and counts as if all signals in its source's pledge had failed.
 */
function listedTable(version: PublicVersion): string {
  return `
    create table ${TABLES.listed("records", version)} as
    select keyed.position, ${ORDERED_SCORE.map((name) => `score.${name}`).join(", ")},
      cast(bit_count(coalesce(score.supported_mask, pledged.supported_mask)) as integer) as supported,
      coalesce(score.supported_mask, pledged.supported_mask) as supported_mask,
      coalesce(score.evaluable_mask, 0) as evaluable_mask, coalesce(score.passed_mask, 0) as passed_mask,
      coalesce(score.source_missing_mask, 0) as source_missing_mask,
      coalesce(score.failed_mask, pledged.supported_mask) as failed_mask,
      cast(10000 * score.total // (4 * bit_count(score.supported_mask)) as integer) as share_of_cap,
      keyed.* exclude (position, id, source_name)
    from keyed_record as keyed
    left join score on score.id = keyed.id and score.rubric = ${quote(version)}
    left join pledged on pledged.source = keyed.source_name and pledged.rubric = ${quote(version)}
    order by keyed.position`;
}

/**
 * Returns SQL that creates a table for each order of records. Orders that do not depend on the version have only one
 * table.
 */
function orderedTables(versions: Versions): string[] {
  const tables = versions.flatMap((version) =>
    Object.values<Order>(ORDERS.records)
      .filter(({ column }) => column !== "position")
      .map((order) => [TABLES.ordered("records", version, order), { order, version }] as const),
  );
  return [...new Map(tables)].map(([table, { order, version }]) => {
    const columns = [order.column, ...(order.ties ?? [])];
    return `create table ${table} as select ${columns.join(", ")}, position from ${TABLES.listed("records", version)}
      order by ${columns.map((column) => `${column} nulls last`).join(", ")}, position`;
  });
}

/**
 * Number of records that one statement joins by their ids. It is limited, so that memory does not grow with the corpus.
 */
const RANGE = 262_144;

async function pledgedTable({ rubrics }: Receipt): Promise<string> {
  const rows = [...readPledges()].flatMap(([source, pledge]) =>
    rubrics.map(({ version, contract }) => `(${quote(source)}, ${quote(version)}, ${supportedMask(pledge, contract)})`),
  );
  return `create table pledged as select * from (values ${rows.join(", ")}) as pledge (source, rubric, supported_mask)`;
}

/**
 * Creates the tables of records for every version of the release.
 * @throws Error if the receipt states another number of records
 */
async function prepareRecords(db: Database, receipt: Receipt, signal: AbortSignal): Promise<void> {
  const versions = receipt.rubrics.map(({ version }) => version);
  const listed = versions.map(listedTable);
  await runAll(db, [RECORDS], signal);
  const { scored, insufficient, failed } = receipt.coverage;
  const count = scored + insufficient + failed;
  const [row] = await db.rows(`select cast(count(*) as integer) as records from ${TABLES.texts("records")}`);
  if (row?.records !== count) {
    throw new Error(
      `release ${receipt.releaseDigest} has ${row?.records} records, but its receipt says ${count}; ${RESTORE}`,
    );
  }
  let first = 0;
  do {
    signal.throwIfAborted();
    await db.runFile(COUNTRIES, { first, end: first + RANGE });
    first += RANGE;
  } while (first < count);
  await runAll(db, [KEYS, await pledgedTable(receipt), ...listed, ...orderedTables(versions), POSITIONS], signal);
}

/**
 * A list of researchers, institutions or countries. `text` is the column by which people find an item, and `narrow` has
 * the figures to filter and order by.
 */
interface Aggregate {
  readonly list: AggregateName;
  readonly text: string;
  readonly narrow: readonly string[];
}

const OTHER_LISTS: readonly Aggregate[] = [
  {
    list: "authors",
    text: "name",
    // A researcher's row shows 0 for an unknown mean.
    narrow: [
      ...["s_index", "s_impact", "dataset_count", "max_score", "coalesce(mean_score, 0) as mean_score"],
      ...["mean_s", "mean_h", "mean_a", "mean_r", "mean_e", "mean_cap", "passed_of_evaluable"],
      // The place among the researchers with the same name.
      `cast(row_number() over (
         partition by place.key order by orcid is null, dataset_count desc, place.position
       ) as integer) as namesake`,
      // Researchers with an ORCID iD come first. Both parts are in the order of names.
      "cast(dense_rank() over (order by orcid is null, place.key) as integer) as identity",
    ],
  },
  {
    list: "institutions",
    text: "label",
    narrow: ["record_count", "author_count", "mean_score", "country_code"],
  },
  {
    list: "geography",
    text: "country_code",
    narrow: ["record_count", "mean_score"],
  },
];

type Versions = readonly PublicVersion[];

/**
 * Returns SQL that creates the columns that do not depend on the version. For an item in several versions, the first
 * version counts.
 */
function textsTable({ list }: Aggregate, versions: Versions): string {
  const { table, id } = AGGREGATES[list];
  const columns = SHARED_COLUMNS[list].join(", ");
  const parts = versions.map((version, i) => {
    const earlier = versions.slice(0, i).map((other) => quote(other));
    const isNew = `and ${id} not in (select ${id} from ${table.name} where rubric in (${earlier.join(", ")}))`;
    return `select ${columns} from ${table.name} where rubric = ${quote(version)} ${i === 0 ? "" : isNew}`;
  });
  return `create table ${TABLES.texts(list)} as
    select cast(row_number() over (order by ${id}) - 1 as integer) as position, ${columns}
    from (${parts.join(" union all ")}) as listed order by position`;
}

/**
 * Returns SQL that creates `<list>_text`, which has every distinct text and its rank, and `<list>_place`, which has the
 * position of every ID and the rank of its text.
 */
function placeTables({ list, text }: Aggregate): string[] {
  const { id } = AGGREGATES[list];
  return [
    `create table ${list}_text as
     select text, cast(row_number() over (order by text) as integer) as key
     from (select distinct ${text} as text from ${TABLES.texts(list)}) as texts`,
    `create table ${list}_place as
     select shown.${id} as id, shown.position, texts.key
     from ${TABLES.texts(list)} as shown join ${list}_text as texts on texts.text = shown.${text}`,
  ];
}

function versionTable({ list, narrow }: Aggregate, version: PublicVersion): string {
  const { table, id } = AGGREGATES[list];
  return `create table ${TABLES.listed(list, version)} as select place.position, place.key as text, ${narrow.join(", ")}
    from ${table.name} join ${list}_place as place on place.id = ${table.name}.${id}
    where ${table.name}.rubric = ${quote(version)} order by place.position`;
}

/**
 * Creates the tables of researchers, institutions and countries. The search index still needs `<list>_text` and
 * `<list>_place`.
 */
async function prepareAggregates(db: Database, { rubrics }: Receipt, signal: AbortSignal): Promise<void> {
  const versions = rubrics.map(({ version }) => version);
  for (const aggregate of OTHER_LISTS) {
    const tables = versions.map((version) => versionTable(aggregate, version));
    await runAll(db, [textsTable(aggregate, versions), ...placeTables(aggregate), ...tables], signal);
  }
}

interface PreparedSource {
  readonly list: SearchedList;
  /** SQL for the pairs of a term and the position of a row with this term. */
  readonly indexed: string;
  /** SQL for the pairs of a position and its text. */
  readonly texts: string;
}

/** The terms of records, from the release. DOIs are left out: each DOI is one term, and only DOIs contain a slash. */
const SEARCHED_RECORDS: PreparedSource = {
  list: "records",
  indexed: `(select search.term, shown.position from search join ${TABLES.texts("records")} as shown on shown.id = search.id
    where not contains(search.term, '/'))`,
  texts: `(select position, title as text from ${TABLES.texts("records")})`,
};

function aggregated(list: "authors" | "institutions"): PreparedSource {
  return {
    list,
    indexed: `(select found.term, place.position from ${list}_found as found join ${list}_place as place on place.key = found.key)`,
    texts: `(select place.position, texts.text from ${list}_place as place join ${list}_text as texts on texts.key = place.key)`,
  };
}

/** Creates the search indexes. They need the tables of records, researchers and institutions. */
async function prepareSearch(db: Database, signal: AbortSignal): Promise<void> {
  const { names } = loadVocabularies();
  await prepareIndex(db, SEARCHED_RECORDS, names, signal);
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

/**
 * Creates `<list>_found` with the search terms of a list. Each distinct text is folded once, because names and labels
 * are repeated.
 */
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
  { list, indexed, texts }: PreparedSource,
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
  await storeUnspaced(db, list, texts, names, signal);
}

/**
 * Matches characters beyond Latin, Greek, Cyrillic and related scripts. Only a text with such characters can have words
 * in a script without spaces.
 */
const BEYOND = "[\\x{0E00}-\\x{1FFF}\\x{2070}-\\x{10FFFF}]";

/**
 * Stores the folded texts in scripts without spaces, so that a search can check whether a text contains a whole word.
 */
async function storeUnspaced(
  db: Database,
  list: SearchedList,
  texts: string,
  names: Vocabularies["names"],
  signal: AbortSignal,
): Promise<void> {
  const foldedTable = {
    name: `${list}_kept`,
    grain: "a folded text",
    key: [],
    columns: { position: "int", text: "text" },
  } as const;
  await db.create(foldedTable);
  const appender = await db.appender(foldedTable);
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
    [
      `insert into ${table} select position, text from ${foldedTable.name} order by position`,
      `drop table ${foldedTable.name}`,
    ],
    signal,
  );
}

/** Runs statements in order until the signal fires. A statement that is a URL is a file of statements. */
async function runAll(db: Database, statements: readonly (string | URL)[], signal: AbortSignal): Promise<void> {
  for (const statement of statements) {
    signal.throwIfAborted();
    await (statement instanceof URL ? db.runFile(statement) : db.run(statement));
  }
}
