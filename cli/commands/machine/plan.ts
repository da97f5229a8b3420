/** share-release plan: what a build of so many records takes, and which engine it should have. */

import { availableParallelism, totalmem } from "node:os";
import { type Command, InvalidArgumentError } from "commander";
import { type Lack, type Plan, plan } from "../../../operations/plan/index.ts";
import { freeBytes } from "../../options/free-bytes.ts";
import { command, countArgument, printResult, type SharedOptions, threadsOption } from "../../options/shared.ts";
import { duration } from "../../text/duration.ts";

interface PlanOptions extends SharedOptions {
  readonly records: number;
  readonly threads: number;
  readonly within: number;
}

const MOST = 100_000_000_000;

export function planCommand(): Command {
  return command("plan", "time, memory, disk and engine that a build of so many records takes, from builds measured", [
    "plan --records 1000000",
    "plan --records 100000000 --within 12h",
  ])
    .requiredOption("--records <n>", "how many records there are to build from", countArgument(1, MOST))
    .addOption(threadsOption)
    .option("--within <time>", "how long a build may take, such as 90m or 12h", timeArgument, 24 * 3600)
    .action(async (options: PlanOptions) => {
      const machine = { memory: totalmem(), disk: await freeBytes(options.store) };
      const made = plan({ ...options, ...machine });
      printResult(options, { ...made, machine: { ...machine, cores: availableParallelism() } }, (whole) =>
        planText(whole, machine),
      );
    });
}

function timeArgument(text: string): number {
  const [, number = "", unit = ""] = /^(\d{1,6})(s|m|h)$/.exec(text) ?? [];
  if (Number(number) < 1) throw new InvalidArgumentError("expected a time such as 90m or 12h.");
  return Number(number) * (unit === "h" ? 3600 : unit === "m" ? 60 : 1);
}

const LACKS: Readonly<Record<Lack, string>> = {
  memory: "this machine has too little memory",
  disk: "there is too little room where the store is",
  time: "it takes longer than it may",
};

function planText(made: Plan, machine: { readonly memory: number; readonly disk: number }): string {
  const { stages, seconds, threads, threadsAdvised, lacks, spark } = made;
  const each = stages.map((stage) => `${stage.stage} ${duration(stage.seconds)}`).join(", ");
  const row = (name: string, text: string) => `${name.padEnd(10)}${text}`;
  const fewer = threadsAdvised < threads ? `; the memory is enough for --threads ${threadsAdvised}` : "";
  return [
    row("records", `${made.records.toLocaleString("en")}, both versions`),
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
      `about ${duration(spark.coreSeconds)} of one core; ${spark.cores.toLocaleString("en")} cores of executors would be done in time`,
    ),
    "Measured with generated DataCite records on two cores: more cores are as good as that only at best.",
  ].join("\n");
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
