/** Compares scoring under both contracts with its floor, the least possible work: scanning the same columns. */

import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { scoreEvidence } from "../pipeline/3-score/index.ts";
import { type Database, openDuckDB, quote } from "../pipeline/engine/open.ts";
import { POLICY, publicContracts } from "../pipeline/rubrics/contracts.ts";
import { EVIDENCE } from "../schemas/public/evidence.ts";
import { RECORD_TABLES } from "../schemas/public/tables.ts";
import { BENCH_FOLDER } from "./corpus.ts";
import type { Figure } from "./measure.ts";
import { median, timed } from "./measure.ts";

const ROWS = 1_000_000;
const RUNS = 5;

export async function benchScore(): Promise<Figure[]> {
  const db = await openDuckDB({ threads: 2, memory: "1GB" });
  try {
    const path = await evidenceFile(db);
    await db.inputFile(RECORD_TABLES.evidence, path);
    const contracts = (await publicContracts()).map(({ version, contract }) => ({ rubric: version, contract }));
    await scoreEvidence(db, contracts, POLICY);
    const scan = `select ${EVIDENCE.map(({ name }) => `count(${name})`).join(", ")}, count(id), count(evidence_errors) from evidence`;
    const score =
      "select sum(total), sum(passed_mask), sum(evaluable_mask), sum(source_missing_mask), sum(failed_mask), sum(supported_mask) from score";
    const floor: number[] = [];
    const ours: number[] = [];
    for (let run = 0; run <= RUNS; run += 1) {
      const scanned = await timed(() => db.rows(scan));
      const scored = await timed(() => db.rows(score));
      if (run === 0) continue;
      floor.push(scanned);
      ours.push(scored);
    }
    const ratio = median(ours) / median(floor);
    return [
      {
        name: "score both contracts, time against scanning the same columns",
        ratio,
        goal: "≤ 20",
        met: ratio <= 20,
        detail: `${ROWS} rows of evidence: scan ${median(floor).toFixed(3)} s, score ${median(ours).toFixed(3)} s`,
      },
    ];
  } finally {
    db.close();
  }
}

/**
 * Returns the path of a file with rows of evidence of every kind: nulls, errors, and three sources. They are computed
 * from the row number.
 */
async function evidenceFile(db: Database): Promise<string> {
  await mkdir(BENCH_FOLDER, { recursive: true });
  const path = join(BENCH_FOLDER, `evidence-${ROWS}.parquet`);
  if (existsSync(path)) return path;
  const columns = EVIDENCE.map(({ name, type }, i) => {
    const spread = `hash(n * ${i + 7})`;
    const value =
      type === "int"
        ? `cast(${spread} % 400 as integer)`
        : type === "bool"
          ? `${spread} % 2 = 0`
          : `case when ${spread} % 3 = 0 then '' else 'CC-BY-4.0' end`;
    return `case when ${spread} % 11 <> 0 then ${value} end as ${name}`;
  });
  await db.run(
    `copy (select 'r' || substr(sha256(cast(n as varchar)), 1, 24) as id,
        case n % 3 when 0 then 'datacite' when 1 then 'zenodo' else 'clinicaltrials' end as source,
        ${columns.join(", ")}, cast(case when n % 50 = 0 then n % 1024 else 0 end as bigint) as evidence_errors
      from range(${ROWS}) as t(n)) to ${quote(path)} (format parquet, compression zstd)`,
  );
  return path;
}
