/**
 * Builds the same corpus on DuckDB and on Apache Spark with two cores of this machine. Reports the seconds of each
 * stage, and compares the digests. `SHARE_BENCH_ENGINES` has the numbers of records, such as 50000,200000.
 */

import { rm } from "node:fs/promises";
import { type BuildReleaseOptions, buildAndActivate, type ReleaseResult } from "../releases/activate.ts";
import { BUILD, prepareCorpus, storeBeside } from "./corpus.ts";
import type { Figure } from "./measure.ts";
import { silent } from "./measure.ts";

const SIZES = process.env.SHARE_BENCH_ENGINES ?? "50000";
const SPARK = { master: "local[2]", conf: { "spark.driver.memory": "4g" } };

/**
 * Compares builds on Spark and on DuckDB. Spark is slower on one machine, so the only goal is that both make the same
 * release.
 */
export async function benchEngines(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const records of SIZES.split(",").map(Number)) {
    const duckdb = await builtWith(records, {});
    const python = process.env.PYSPARK_PYTHON ?? ".spark/bin/python";
    const spark = await builtWith(records, { spark: { ...SPARK, python } });
    const same = duckdb.receipt.releaseDigest === spark.receipt.releaseDigest;
    figures.push({
      name: `build of ${records.toLocaleString("en")} records on Spark local[2], time against DuckDB's`,
      ratio: spark.took.seconds / duckdb.took.seconds,
      goal: "the same digest",
      met: same,
      detail: `DuckDB ${formatStages(duckdb)}; Spark ${formatStages(spark)}`,
    });
  }
  return figures;
}

function formatStages({ took }: ReleaseResult): string {
  const steps = took.steps.map(({ step, seconds }) => `${step} ${seconds.toFixed(1)}`).join(", ");
  return `${took.seconds.toFixed(1)} s (${steps})`;
}

async function builtWith(records: number, options: Partial<BuildReleaseOptions>): Promise<ReleaseResult> {
  const store = await storeBeside(await prepareCorpus(records), "engines");
  try {
    return await buildAndActivate(store, { ...BUILD, ...options, reuse: "never", force: "a benchmark" }, silent);
  } finally {
    await rm(store.root, { recursive: true, force: true });
  }
}
