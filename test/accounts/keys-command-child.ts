/** Runs `share-release keys` alone: its arguments are those of this process. */

import { CommanderError } from "commander";
import { keysCommand } from "../../cli/commands/keys.ts";
import { exitCodeOf, FAILED, WRONG_USAGE } from "../../cli/options/exit-codes.ts";

try {
  await keysCommand().exitOverride().parseAsync(process.argv.slice(2), { from: "user" });
} catch (error) {
  if (!(error instanceof CommanderError)) console.error(error instanceof Error ? error.message : error);
  process.exitCode = error instanceof CommanderError ? WRONG_USAGE : (exitCodeOf(error) ?? FAILED);
}
