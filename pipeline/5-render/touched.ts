/** Which pages differ from those of an earlier release: every row that a page is made of, compared column by column. */

import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { EVIDENCE_NAMES } from "../../schemas/public/evidence.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import {
  AGGREGATE_TABLES,
  RECORD_TABLES,
  RELEASE_TABLES,
  SCORE_TABLES,
  type Table,
} from "../../schemas/public/tables.ts";
import { type Database, quote } from "../engine/open.ts";
import { LISTED_RECORD, LISTED_SCORE, RESEARCHER } from "../pages/list-rows.ts";
import { keyedFiles, pathsOf } from "../pages/page-files.ts";
import { RECORD, SCORE } from "../pages/record-columns.ts";
import { AUTHOR } from "../pages/record-pages.ts";
import { openTables, type TablePaths } from "../pages/tables.ts";
import { changedFolder, findChanged } from "../previous/changed-rows.ts";
import type { PreviousRelease } from "../previous/previous-release.ts";

/** What is to be rendered: tables that hold nothing else, and the paths that no earlier page may take. */
export interface Touched {
  readonly records: number;
  readonly researchers: number;
  readonly recordTables: TablePaths;
  readonly researcherTables: TablePaths;
  /** A file of paths, one a line. */
  readonly paths: string;
}

interface TouchedOptions {
  readonly rubrics: readonly PublicVersion[];
  readonly threads: number;
  readonly memory: string;
}

/** Each worker that links holds the touched paths in memory; beyond so many, everything is rendered. */
const MOST_PATHS = 500_000;

/** Compares with `previous`; null where so much changed that rendering everything is as cheap. */
export async function findTouched(
  tables: TablePaths,
  previous: PreviousRelease,
  folder: string,
  options: TouchedOptions,
): Promise<Touched | null> {
  const { threads, memory } = options;
  const db = await openTables(tables, { threads, memory, spill: join(folder, "spill") });
  try {
    for (const table of RELEASE_TABLES) {
      await db.input({ ...table, name: `before_${table.name}` }, previous.tables[table.name] ?? "");
    }
    await findChanged(db, changedFolder(folder, previous), SHOWN);
    await db.run(`create table touched_record as ${touchedRecords(previous.pledgesChanged)}`);
    await db.run(`create table touched_listing as ${TOUCHED_LISTING}`);
    await db.run(`create table touched_researcher as ${TOUCHED_RESEARCHERS}`);
    const paths = join(folder, "touched.txt");
    if ((await writePaths(db, paths, options.rubrics)) > MOST_PATHS) return null;
    const [counts] = await db.rows(`select cast((select count(*) from touched_record) as integer) as records,
      cast((select count(distinct id) from touched_researcher) as integer) as researchers`);
    return {
      records: Number(counts?.records),
      researchers: Number(counts?.researchers),
      recordTables: { ...tables, ...(await writeSubset(db, join(folder, "touched-records"), RECORD_ROWS)) },
      researcherTables: { ...tables, ...(await writeSubset(db, join(folder, "touched-researchers"), RESEARCHER_ROWS)) },
      paths,
    };
  } finally {
    db.close();
  }
}

/** The columns that pages show, by table. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  record: RECORD,
  evidence: EVIDENCE_NAMES,
  score: SCORE,
  authorship: AUTHOR,
  facet: ["value"],
  alias: ["alias_identifier"],
  researcher: RESEARCHER,
  researcher_dataset: ["id"],
};

/** Aliases are shown with the record they lead to: both the one they led to and the one they lead to now. */
const TOUCHED_ALIASES = ["alias", "before_alias"].map(
  (side) => `select id from ${side} where alias_id in (select alias_id from changed_alias)`,
);

function touchedRecords(pledgesChanged: readonly string[]): string {
  const tables = ["record", "evidence", "score", "authorship", "facet"];
  const rows = [
    ...tables.map((name) => `select id from changed_${name} where shows`),
    ...TOUCHED_ALIASES,
    ...pledgesChanged.map((source) => `select id from record where source = ${quote(source)}`),
  ];
  return `select distinct id from (${rows.join(" union all ")})`;
}

/** A dataset in the list of a researcher: only some of what moved about it shows there. */
const TOUCHED_LISTING = (() => {
  const columns = [...LISTED_RECORD.map((name) => `record.${name}`), ...LISTED_SCORE.map((name) => `score.${name}`)];
  const side = (prefix: string) => `select score.rubric, ${columns.join(", ")} from ${prefix}record as record
    join ${prefix}score as score on score.id = record.id where record.id in (select id from touched_record)`;
  return `select distinct rubric, id from (
    (${side("")} except ${side("before_")}) union all (${side("before_")} except ${side("")}))`;
})();

const TOUCHED_RESEARCHERS = `select distinct rubric, id from (
  select rubric, id from changed_researcher where shows
  union all
  select rubric, researcher_id as id from changed_researcher_dataset where shows
  union all
  select listed.rubric, listed.researcher_id from researcher_dataset as listed
  join touched_listing on touched_listing.id = listed.id and touched_listing.rubric = listed.rubric)`;

/** The rows that pages of touched records are made of. */
const RECORD_ROWS: readonly (readonly [Table, string])[] = [
  RECORD_TABLES.record,
  RECORD_TABLES.evidence,
  RECORD_TABLES.facet,
  RECORD_TABLES.alias,
  SCORE_TABLES.score,
  AGGREGATE_TABLES.authorship,
].map((table) => [table, "id in (select id from touched_record)"]);

const LISTED = `id in (select listed.id from researcher_dataset as listed
  join touched_researcher on touched_researcher.id = listed.researcher_id and touched_researcher.rubric = listed.rubric)`;

/** The rows that pages of touched researchers are made of. */
const RESEARCHER_ROWS: readonly (readonly [Table, string])[] = [
  [AGGREGATE_TABLES.researcher, "(rubric, id) in (select (rubric, id) from touched_researcher)"],
  [AGGREGATE_TABLES.researcher_dataset, "(rubric, researcher_id) in (select (rubric, id) from touched_researcher)"],
  [RECORD_TABLES.record, LISTED],
  [SCORE_TABLES.score, LISTED],
];

async function writeSubset(
  db: Database,
  folder: string,
  parts: readonly (readonly [Table, string])[],
): Promise<Record<string, string>> {
  await mkdir(folder, { recursive: true });
  const paths: Record<string, string> = {};
  for (const [table, condition] of parts) {
    const path = join(folder, `${table.name}.parquet`);
    await db.run(`create or replace view part as select * from ${table.name} where ${condition}`);
    await db.output({ ...table, name: "part" }, path);
    paths[table.name] = path;
  }
  return paths;
}

/** The paths of touched pages, earlier ones included: a page that is gone must not be taken over. */
async function writePaths(db: Database, file: string, versions: readonly PublicVersion[]): Promise<number> {
  let written = 0;
  const write = async (sql: string, pathsOfRow: (cells: readonly unknown[]) => string[]) => {
    for await (const batch of db.stream(sql)) {
      const paths = batch.flatMap(pathsOfRow);
      written += paths.length;
      await appendFile(file, paths.map((path) => `${path}\n`).join(""));
      if (written > MOST_PATHS) return;
    }
  };
  const records = keyedFiles("record", versions);
  await write("select id from touched_record", ([id]) => pathsOf(records, String(id)));
  for (const version of versions) {
    const files = keyedFiles("researcher", [version]);
    const slugs = ["researcher", "before_researcher"].map(
      (table) => `select slug from ${table} where rubric = '${version}'
        and id in (select id from touched_researcher where rubric = '${version}')`,
    );
    await write(slugs.join(" union "), ([slug]) => pathsOf(files, String(slug)));
  }
  if (written === 0) await appendFile(file, "");
  return written;
}
