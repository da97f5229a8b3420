/** Finds the Python that has pyspark. If there is none, prints a warning, because suites that need it are skipped. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "../support/bundled-corpus.ts";

const INSTALLED = join(REPOSITORY, ".spark/bin/python");

function hasSpark(python: string): boolean {
  return spawnSync(python, ["-c", "import pyspark, shutil; assert shutil.which('java')"]).status === 0;
}

const given = process.env.PYSPARK_PYTHON ?? (existsSync(INSTALLED) ? INSTALLED : "python3");

/** Path of the Python; null if Spark cannot run on this machine. */
export const sparkPython: string | null = hasSpark(given) ? given : null;

if (sparkPython === null) {
  process.stderr.write(
    `\n*** NOTHING IS TESTED ON APACHE SPARK: ${given} has no pyspark, or there is no Java. \`make spark\` installs it. ***\n\n`,
  );
}

/** Settings of Spark for small inputs: less compilation, and two partitions instead of two hundred. */
export const SMALL_CONF = {
  "spark.sql.shuffle.partitions": "2",
  "spark.driver.memory": "2g",
  "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
} as const;
