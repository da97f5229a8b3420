/** share-release doctor: checks the store and the machine. */

import type { Command } from "commander";
import { plural } from "../../pipeline/reading/text.ts";
import { examine, type Observation } from "../../releases/doctor/index.ts";
import { FAILED } from "../options/exit-codes.ts";
import { command, type SharedOptions, storeOf } from "../options/shared.ts";
import { printLines } from "../terminal/text.ts";

export function doctorCommand(): Command {
  return command("doctor", "Check the store, disk, permissions, versions, locks and links, and change nothing", [
    "doctor",
    "doctor --json",
  ]).action(async (options: SharedOptions) => {
    const found = await examine(storeOf(options));
    const count = (state: Observation["state"]) => found.filter((each) => each.state === state).length;
    const summary = { faults: count("fault"), warnings: count("warning"), checks: found.length };
    const lines = options.json ? [...found, summary].map((line) => JSON.stringify(line)) : found.map(textOf);
    if (!options.json) lines.push(`${plural(summary.faults, "fault")}, ${plural(summary.warnings, "warning")}`);
    printLines(lines.join("\n"));
    if (summary.faults > 0) process.exitCode = FAILED;
  });
}

function textOf({ check, state, detail, advice }: Observation): string {
  return `${state.padEnd(8)} ${check.padEnd(12)} ${detail}${advice === undefined ? "" : `; ${advice}`}`;
}
