/** The options that have a build run on Apache Spark. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { InvalidArgumentError, Option } from "commander";
import type { SparkOptions } from "../../pipeline/engine/spark/spark-runtime.ts";
import { UsageError } from "./exit-codes.ts";

const ENGINES = ["duckdb", "spark"] as const;
export type Engine = (typeof ENGINES)[number];

export const engineOption = new Option(
  "--engine <name>",
  "what computes the tables: DuckDB on this machine, or Apache Spark, for what no machine holds; the release is the same",
)
  .choices(ENGINES)
  .default("duckdb");

export const masterOption = new Option(
  "--master <url>",
  "the Spark to use, such as local[2], spark://host:7077, yarn or k8s://https://host; local[*] if left out",
);

export const sparkConfOption = new Option(
  "--spark-conf <settings...>",
  "further settings of Spark, such as spark.executor.memory=4g",
).argParser((text: string, before: Record<string, string> = {}) => {
  const [, name, value] = /^(spark\.[^=\s]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError("expected spark.name=value.");
  return { ...before, [name]: value };
});

interface Given {
  readonly engine: Engine;
  readonly master?: string;
  readonly sparkConf?: Record<string, string>;
}

/** Where `make spark` installs it. */
const INSTALLED = fileURLToPath(new URL("../../.spark/bin/python", import.meta.url));

/** Null for DuckDB. */
export function sparkOf({ engine, master, sparkConf }: Given): SparkOptions | null {
  if (engine === "spark") {
    const python = process.env.PYSPARK_PYTHON ?? (existsSync(INSTALLED) ? INSTALLED : "python3");
    return { master: master ?? "local[*]", conf: sparkConf ?? {}, python };
  }
  if (master !== undefined || sparkConf !== undefined) {
    throw new UsageError("--master and --spark-conf go with --engine spark");
  }
  return null;
}
