/** Finds the pages that differ from those of an earlier release. Compares every row and column that the pages show. */

import { mkdir } from "node:fs/promises";
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
import type { PlaceRange } from "../packs/format.ts";
import { openTables, type TablePaths } from "../pages/columns.ts";
import { AUTHOR, RECORD, SCORE } from "../pages/keyed-pages.ts";
import { LISTED_RECORD, LISTED_SCORE, RESEARCHER } from "../pages/listings.ts";
import type { PreviousRelease } from "../pages/previous-release.ts";
import { changedFolder, findChanged } from "../pages/previous-release.ts";

/** Tables with only those rows whose pages must be rendered again, and the keys of removed pages. */
export interface ChangedPages {
  readonly recordTables: TablePaths;
  readonly researcherTables: TablePaths;
  /** Parquet file with the keys of removed pages ({@link removedKeysIn}). */
  readonly gone: string;
}

interface ChangedPagesOptions {
  readonly rubrics: readonly PublicVersion[];
  readonly threads: number;
  readonly memory: string;
}

/** Share of changed records or researchers above which reuse saves no time, so that every page is rendered. */
const MAX_CHANGED_SHARE = 0.5;

/**
 * Finds the pages that differ from those of `previous`. Returns null if so many differ that rendering every page is as
 * fast.
 */
export async function findChangedPages(
  tables: TablePaths,
  previous: PreviousRelease,
  folder: string,
  options: ChangedPagesOptions,
): Promise<ChangedPages | null> {
  const { threads, memory } = options;
  const db = await openTables(tables, { threads, memory, spill: join(folder, "spill") });
  try {
    for (const table of RELEASE_TABLES) {
      await db.input({ ...table, name: `before_${table.name}` }, previous.tables[table.name] ?? "");
    }
    await findChanged(db, changedFolder(folder, previous), SHOWN);
    await db.run(`create table touched_record as ${changedRecordsSql(previous.pledgesChanged)}`);
    await db.run(`create table touched_listing as ${TOUCHED_LISTING}`);
    await db.run(`create table touched_researcher as ${TOUCHED_RESEARCHERS}`);
    const [counts] =
      await db.rows(`select (select count(*) from touched_record) > ${MAX_CHANGED_SHARE} * (select count(*) from record)
      or (select count(*) from touched_researcher) > ${MAX_CHANGED_SHARE} * (select count(*) from researcher) as most`);
    if (counts?.most !== false) return null;
    const gone = join(folder, "gone.parquet");
    await db.run(`copy (${GONE}) to ${quote(gone)} (format parquet)`);
    return {
      recordTables: { ...tables, ...(await writeSubset(db, join(folder, "touched-records"), RECORD_ROWS)) },
      researcherTables: { ...tables, ...(await writeSubset(db, join(folder, "touched-researchers"), RESEARCHER_ROWS)) },
      gone,
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
  value: ["value", "counts", "found_in"],
  alias: ["alias_identifier"],
  researcher: RESEARCHER,
  researcher_dataset: ["id"],
};

/**
 * Selects the records that a changed alias points to, before and after the change. Both look different, because a
 * record's page lists its aliases.
 */
const TOUCHED_ALIASES = ["alias", "before_alias"].map(
  (side) => `select id from ${side} where alias_id in (select alias_id from changed_alias)`,
);

function changedRecordsSql(pledgesChanged: readonly string[]): string {
  const tables = ["record", "evidence", "score", "authorship", "facet", "value"];
  const rows = [
    ...tables.map((name) => `select id from changed_${name} where shows`),
    ...TOUCHED_ALIASES,
    ...pledgesChanged.map((source) => `select id from record where source = ${quote(source)}`),
  ];
  return `select distinct id from (${rows.join(" union all ")})`;
}

/** Selects the datasets whose row in a researcher's list looks different. The rows show only the columns below. */
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

const RECORD_ROWS: readonly (readonly [Table, string])[] = [
  RECORD_TABLES.record,
  RECORD_TABLES.evidence,
  RECORD_TABLES.facet,
  RECORD_TABLES.value,
  RECORD_TABLES.alias,
  SCORE_TABLES.score,
  AGGREGATE_TABLES.authorship,
].map((table) => [table, "id in (select id from touched_record)"]);

const LISTED = `id in (select listed.id from researcher_dataset as listed
  join touched_researcher on touched_researcher.id = listed.researcher_id and touched_researcher.rubric = listed.rubric)`;

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
    const part = join(folder, table.name);
    await db.run(`create or replace view part as select * from ${table.name} where ${condition}`);
    await db.output({ ...table, name: "part" }, part);
    paths[table.name] = part;
  }
  return paths;
}

/**
 * Selects the keys of removed pages. A removed record loses its pages under all versions, so `rubric` is null; a
 * researcher can be removed under one version only.
 */
const GONE = `
  select 'record' as subject, null as rubric, id as key, substr(id, 2) as place
  from touched_record where id not in (select id from record)
  union all
  select 'researcher', before.rubric, before.slug, substr(sha256(before.slug), 1, 24)
  from before_researcher as before
  join touched_researcher using (rubric, id)
  anti join researcher as now on now.rubric = before.rubric and now.slug = before.slug`;

/**
 * Returns the keys of the removed pages that belong to one range of positions, for each family of pages. The keys are
 * sorted by position.
 */
export async function removedKeysIn(
  db: Database,
  file: string,
  subject: "record" | "researcher",
  families: readonly string[],
  { from, to }: PlaceRange,
): Promise<Record<string, readonly string[]>> {
  const rows = await db.rows(
    `select rubric, key from read_parquet(${quote(file)}) where subject = $subject and place >= $from and place < $to order by place`,
    { subject, from, to },
  );
  const listKeys = (family: string) =>
    rows.flatMap(({ rubric, key }) => (rubric === null || family.startsWith(`${rubric}/`) ? [String(key)] : []));
  return Object.fromEntries(families.map((family) => [family, listKeys(family)]));
}
