/** Summarises a diff: numbers of changes by version, source, cause and signal, and the largest changes. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Cause,
  cause,
  DIFF_FILE,
  DIFF_TABLE_FILES,
  DIFF_TABLES,
  type ReleaseDiff,
  releaseDiff,
} from "../../schemas/public/api/diff.ts";
import type { Cell, Database } from "../engine/open.ts";
import {
  changedReaders,
  comparedRubrics,
  type ReleaseComparison,
  type ReleaseSide,
  readChange,
  readResearcherChange,
  type SideReceipt,
} from "./compare.ts";

/** Largest number of entries in each list of a public version. */
const LISTED = 100;

const ORDER: readonly Cause[] = cause.options;

type StatisticsRow = Readonly<Record<string, Cell>>;

export async function summarise(
  { db, attributed }: ReleaseComparison,
  before: ReleaseSide | null,
  after: ReleaseSide,
  files: readonly string[],
): Promise<ReleaseDiff> {
  await db.runFile(new URL("./50-summary.sql", import.meta.url), { listed: LISTED });
  const [records] = await db.rows("select * from flow");
  const listed = (kind: string) => db.rows("select * from listed where kind = $kind", { kind });
  return releaseDiff.parse({
    from: before === null ? null : excerptReceipt(before.receipt),
    to: excerptReceipt(after.receipt),
    causes: ORDER,
    attributed,
    readers: before === null ? [] : changedReaders(before.receipt, after.receipt),
    records,
    reasons: await db.rows("select * from reason_count"),
    rubrics: await rubricFigures(db, before, after),
    sources: (await db.rows("select * from of_source")).map(withMeans),
    largest: (await listed("moved")).map(readChange),
    added: (await listed("added")).map(readChange),
    removed: (await listed("removed")).map(readChange),
    researchers: (await db.rows("select * from listed_researcher")).map(readResearcherChange),
    files,
  });
}

function excerptReceipt({ scoreReleaseVersion, releaseDigest, asOf }: SideReceipt) {
  return { scoreReleaseVersion, releaseDigest, asOf };
}

async function rubricFigures(db: Database, before: ReleaseSide | null, after: ReleaseSide) {
  const movements = await db.rows("select * from movement");
  const causes = await db.rows("select * from by_cause");
  const signals = await db.rows("select * from by_signal");
  const researchers = await db.rows("select * from of_researchers");
  return comparedRubrics(before, after).map((rubric) => {
    const ofRubric = (rows: readonly StatisticsRow[]) => rows.filter((row) => row.rubric === rubric);
    return {
      rubric,
      contractBefore: before === null ? null : findContract(before, rubric),
      contractAfter: findContract(after, rubric),
      ...ofRubric(movements).map(withMeans)[0],
      byCause: ORDER.flatMap((name) => ofRubric(causes).filter((row) => row.cause === name)),
      bySignal: ofRubric(signals),
      researchers: ofRubric(researchers).map(researcherCounts)[0],
    };
  });
}

function findContract({ receipt }: ReleaseSide, rubric: string): string | null {
  return receipt.rubrics.find(({ version }) => version === rubric)?.contract ?? null;
}

function withMeans({ mean_before: before = null, mean_after: after = null, ...row }: StatisticsRow) {
  return { ...row, meanBefore: toNumber(before), meanAfter: toNumber(after) };
}

function researcherCounts(row: StatisticsRow) {
  return {
    up: row.up,
    down: row.down,
    sImpactUp: row.s_impact_up,
    sImpactDown: row.s_impact_down,
    added: row.added,
    removed: row.removed,
  };
}

function toNumber(value: Cell): number | null {
  return value === null ? null : Number(value);
}

/** Writes the tables and the summary of a diff below the tree of a release. */
export async function writeDiff(
  comparison: ReleaseComparison,
  before: ReleaseSide | null,
  after: ReleaseSide,
  tree: string,
): Promise<ReleaseDiff> {
  const { db } = comparison;
  for (const table of Object.values(DIFF_TABLES)) {
    await db.outputFile(table, join(tree, "data", `${table.published}.parquet`));
  }
  const summary = await summarise(comparison, before, after, DIFF_TABLE_FILES);
  await writeFile(join(tree, DIFF_FILE), `${JSON.stringify(summary, null, 1)}\n`);
  return summary;
}
