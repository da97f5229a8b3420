/** share-release plan: what a build of so many records takes, and which engine it should have. */

import { availableParallelism } from "node:os";
import { type Command, InvalidArgumentError } from "commander";
import { plan } from "../../../operations/plan/index.ts";
import { machineUnder } from "../../options/machine.ts";
import { command, countArgument, printResult, type SharedOptions, threadsOption } from "../../options/shared.ts";
import { planText } from "../../text/plan-text.ts";

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
      const machine = await machineUnder(options.store);
      const made = plan({ ...options, ...machine });
      printResult(options, { ...made, machine: { ...machine, cores: availableParallelism() } }, (whole) =>
        [`${"records".padEnd(12)}${whole.records.toLocaleString("en")}, both versions`, planText(whole, machine)].join(
          "\n",
        ),
      );
    });
}

function timeArgument(text: string): number {
  const [, number = "", unit = ""] = /^(\d{1,6})(s|m|h)$/.exec(text) ?? [];
  if (Number(number) < 1) throw new InvalidArgumentError("expected a time such as 90m or 12h.");
  return Number(number) * (unit === "h" ? 3600 : unit === "m" ? 60 : 1);
}
