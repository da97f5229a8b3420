/** `share-release evaluate` alone, for a host of commands and for a process of its own. */

import { CommanderError } from "commander";
import { evaluateCommand } from "../../cli/commands/evaluate.ts";
import { exitCodeOf, FAILED, WRONG_USAGE } from "../../cli/options/exit-codes.ts";

export async function run(parameters: readonly string[]): Promise<void> {
  try {
    await evaluateCommand()
      .exitOverride()
      .parseAsync([...parameters], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) console.error(error instanceof Error ? error.message : error);
    process.exitCode = error instanceof CommanderError ? WRONG_USAGE : (exitCodeOf(error) ?? FAILED);
  }
}
