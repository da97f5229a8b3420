/** What a build takes of a machine, for people. */

import type { Lack, Machine, Plan } from "../../operations/plan/index.ts";
import { duration } from "./duration.ts";

const LACKS: Readonly<Record<Lack, string>> = {
  memory: "this machine has too little memory",
  disk: "there is too little room where the store is",
  time: "it takes longer than it may",
};

/** Rows on time, memory, disk and engine. */
export function planText(made: Plan, machine: Machine): string {
  const { stages, seconds, threads, threadsAdvised, lacks, spark } = made;
  const each = stages.map((stage) => `${stage.stage} ${duration(stage.seconds)}`).join(", ");
  const row = (name: string, text: string) => `${name.padEnd(12)}${text}`;
  const fewer = threadsAdvised < threads ? `; the memory is enough for --threads ${threadsAdvised}` : "";
  return [
    row("time", `about ${duration(seconds)} on ${threadsAdvised} cores: ${each}`),
    row("memory", `${gigabytes(made.memory)} of ${gigabytes(machine.memory)}${fewer}`),
    row(
      "disk",
      `${gigabytes(made.disk.building)} while it builds, of which the release keeps ${gigabytes(made.disk.release)}; ${gigabytes(machine.disk)} are free`,
    ),
    row(
      "engine",
      made.engine === "duckdb"
        ? "duckdb: one machine does it"
        : `spark: ${lacks.map((lack) => LACKS[lack]).join(", and ")}`,
    ),
    row(
      "spark",
      `about ${duration(spark.coreSeconds)} of one core, and then ${duration(spark.hereSeconds)} of this machine; ${
        spark.cores === null
          ? "that alone is longer than there is"
          : `${spark.cores.toLocaleString("en")} cores of executors would be done in time`
      }`,
    ),
    "Measured with generated DataCite records on two cores: more cores are as good as that only at best.",
  ].join("\n");
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
