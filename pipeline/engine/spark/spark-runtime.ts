/** Apache Spark as the place where a build runs: its SQL for the tables, its executors for the tasks. */

import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Runtime } from "../runtime.ts";
import { runOnExecutors } from "./executor-pool.ts";
import { SparkSession } from "./session.ts";
import { SparkEngine } from "./spark-engine.ts";

export interface SparkOptions {
  /** Such as `local[2]`, `spark://host:7077`, `yarn` or `k8s://https://host`. */
  readonly master: string;
  /** Further settings of Spark, by name; they go before ours. */
  readonly conf: Readonly<Record<string, string>>;
  /** A Python that has pyspark. */
  readonly python: string;
}

/** What one SQL text for both engines, and the same rows from both, stand on. */
const DIALECT = {
  "spark.sql.ansi.enabled": "true",
  "spark.sql.ansi.doubleQuotedIdentifiers": "true",
  "spark.sql.parser.escapedStringLiterals": "true",
  "spark.sql.session.timeZone": "UTC",
  "spark.sql.catalogImplementation": "in-memory",
} as const;

const DEFAULTS = {
  // Scoring is one wide expression: beyond this size Java would interpret it, at a quarter of the speed.
  "spark.sql.codegen.hugeMethodLimit": "8000",
  "spark.driver.memory": "2g",
  "spark.ui.enabled": "false",
  "spark.ui.showConsoleProgress": "false",
} as const;

/** Starts Spark; `folder` is one of its own, which all executors see under the same path. Close it in a `finally`. */
export async function sparkRuntime({ master, conf, python }: SparkOptions, folder: string): Promise<Runtime> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const here = master.startsWith("local")
    ? { "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1" }
    : {};
  const settings = {
    ...DEFAULTS,
    ...here,
    ...conf,
    ...DIALECT,
    "spark.master": master,
    "spark.sql.warehouse.dir": join(folder, "warehouse"),
  };
  const session = await SparkSession.start({ python, settings });
  let opened = 0;
  return {
    engine: `Apache Spark ${session.version}`,
    open: (spill, onShare) => {
      opened += 1;
      return SparkEngine.open(session, `share_${opened}`, spill, onShare);
    },
    runPool: (module, tasks, onDone) => {
      opened += 1;
      return runOnExecutors(session, join(folder, `pool-${opened}`), module, tasks, onDone);
    },
    close: async () => {
      await session.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
