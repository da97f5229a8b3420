/** Summarises a diff: figures by version, source, cause and signal, and the largest changes. */

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
  type Comparison,
  changedReaders,
  comparedRubrics,
  readChange,
  readResearcherChange,
  type Side,
  type SideReceipt,
} from "./compare.ts";

/** Longest list for each public version. */
const LISTED = 100;

const ORDER: readonly Cause[] = cause.options;

type Row = Readonly<Record<string, Cell>>;

export async function summarise(
  { db, attributed }: Comparison,
  before: Side | null,
  after: Side,
  files: readonly string[],
): Promise<ReleaseDiff> {
  await db.runFile(new URL("./50-summary.sql", import.meta.url), { listed: LISTED });
  const [records] = await db.rows("select * from flow");
  const listed = (kind: string) => db.rows("select * from listed where kind = $kind", { kind });
  return releaseDiff.parse({
    from: before === null ? null : excerptOf(before.receipt),
    to: excerptOf(after.receipt),
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

function excerptOf({ scoreReleaseVersion, releaseDigest, asOf }: SideReceipt) {
  return { scoreReleaseVersion, releaseDigest, asOf };
}

async function rubricFigures(db: Database, before: Side | null, after: Side) {
  const movements = await db.rows("select * from movement");
  const causes = await db.rows("select * from by_cause");
  const signals = await db.rows("select * from by_signal");
  const researchers = await db.rows("select * from of_researchers");
  return comparedRubrics(before, after).map((rubric) => {
    const ofRubric = (rows: readonly Row[]) => rows.filter((row) => row.rubric === rubric);
    return {
      rubric,
      contractBefore: before === null ? null : contractOf(before, rubric),
      contractAfter: contractOf(after, rubric),
      ...ofRubric(movements).map(withMeans)[0],
      byCause: ORDER.flatMap((name) => ofRubric(causes).filter((row) => row.cause === name)),
      bySignal: ofRubric(signals),
      researchers: ofRubric(researchers).map(researcherCounts)[0],
    };
  });
}

function contractOf({ receipt }: Side, rubric: string): string | null {
  return receipt.rubrics.find(({ version }) => version === rubric)?.contract ?? null;
}

function withMeans({ mean_before: before = null, mean_after: after = null, ...row }: Row) {
  return { ...row, meanBefore: numberOf(before), meanAfter: numberOf(after) };
}

function researcherCounts(row: Row) {
  return {
    up: row.up,
    down: row.down,
    sImpactUp: row.s_impact_up,
    sImpactDown: row.s_impact_down,
    added: row.added,
    removed: row.removed,
  };
}

function numberOf(value: Cell): number | null {
  return value === null ? null : Number(value);
}

/** Writes the tables and the summary below the release tree. */
export async function writeDiff(
  comparison: Comparison,
  before: Side | null,
  after: Side,
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
