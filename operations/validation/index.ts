/** The validation of a release, computed of its finished tables. */

import type { Scored } from "../../pipeline/3-score/compile.ts";
import { type Database, type DuckDBOptions, openDuckDB } from "../../pipeline/engine/open.ts";
import type { TablePaths } from "../../pipeline/pages/tables.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { RECORD_TABLES, SCORE_TABLES } from "../../schemas/public/tables.ts";
import { LEAST_RECORDS, NO_CAUSE, type Validation, validation } from "../../schemas/public/validation.ts";
import type { Rules } from "../diff/rules.ts";
import { agreements } from "./agreement.ts";
import { outcomesOf } from "./outcomes.ts";
import { populationsOf, readCounts } from "./populations.ts";
import { isScaled } from "./scaled-contract.ts";
import { loadPledges, scoreDuplicates, scoreScaled } from "./scoring.ts";

/** The release to validate: its tables, and the rules it was scored by. */
export interface Validated {
  readonly receipt: Pick<Receipt, "releaseDigest" | "asOf" | "rubrics">;
  readonly tables: TablePaths;
  readonly rules: Rules;
}

/** Records beyond which thresholds are scaled for a part of them: what it costs must not grow with a release. */
const MOST_SCALED = 20_000;

const READ = [RECORD_TABLES.record, RECORD_TABLES.alias, RECORD_TABLES.duplicate_evidence, SCORE_TABLES.score];

/** What does not fit in memory spills to disk; the same figures whatever the threads. */
export async function validate(release: Validated, options: DuckDBOptions): Promise<Validation> {
  const db = await openDuckDB(options);
  try {
    const { receipt, rules } = release;
    const scored = scoredBy(release);
    await openRelease(db, release.tables);
    await db.fill(
      { name: "signal_bit", columns: { bit: "int" } },
      SIGNAL_IDS.map((_, bit) => ({ bit })),
    );
    await loadPledges(db, rules, scored);
    const counts = await recordCounts(db);
    const sampled = await sampleOf(db, counts.harvested);
    await run(db, "10-patterns");
    await scoreDuplicates(db, scored);
    await run(db, "20-agreement");
    await run(db, "30-outcomes");
    await scoreScaled(db, scored, sampled?.below ?? null);
    await run(db, "40-thresholds");
    const read = await readCounts(db);
    return validation.parse({
      format: 1,
      releaseDigest: receipt.releaseDigest,
      asOf: receipt.asOf,
      least: LEAST_RECORDS,
      ...counts,
      sampled,
      rubrics: receipt.rubrics.map(({ version, contract }) => ({
        version,
        contract,
        populations: populationsOf(read, version, (halves, bit) =>
          isScaled(scored.find(({ rubric }) => rubric === version)?.contract.signals[bit]?.rule ?? "", halves),
        ),
      })),
      sources: await agreements(db),
      outcomes: await outcomesOf(db),
      caution: NO_CAUSE,
    });
  } finally {
    db.close();
  }
}

function run(db: Database, name: string): Promise<void> {
  return db.runFile(new URL(`./${name}.sql`, import.meta.url));
}

function scoredBy({ receipt, rules }: Validated): Scored[] {
  return receipt.rubrics.map(({ version, contract }) => {
    const found = rules.contracts.get(contract);
    if (found === undefined) throw new Error(`the release has no contract ${contract}`);
    return { rubric: version, contract: found };
  });
}

async function openRelease(db: Database, tables: TablePaths): Promise<void> {
  for (const table of READ) await db.inputAsMade(table, tables[table.name] ?? "");
  await db.inputAsMade({ ...RECORD_TABLES.evidence, name: "read_evidence" }, tables.evidence ?? "");
}

async function recordCounts(db: Database): Promise<{ harvested: number; generated: number }> {
  const [row] = await db.rows(
    "select count(*) filter (where not generated) as harvested, count(*) filter (where generated) as generated from record",
  );
  return { harvested: Number(row?.harvested), generated: Number(row?.generated) };
}

/** Ids are digests, so that those of one range are a sample that nobody chose, and the same on every machine. */
async function sampleOf(db: Database, harvested: number): Promise<{ below: string; records: number } | null> {
  if (harvested <= MOST_SCALED) return null;
  const part = Math.max(1, Math.floor((4096 * MOST_SCALED) / harvested));
  const below = `r${part.toString(16).padStart(3, "0")}`;
  const [row] = await db.rows(`select count(*) as records from record where not generated and id < $below`, { below });
  return { below, records: Number(row?.records) };
}
