/**
 * Runs `share-release moderate` alone, once for each list of arguments in the JSON of this process's own: starting costs
 * more than what is tested. Behind what each says stands a record separator, and on standard error its exit code before it.
 */

import { CommanderError } from "commander";
import { z } from "zod";
import { moderateCommand } from "../../cli/commands/moderate.ts";
import { exitCodeOf, FAILED, WRONG_USAGE } from "../../cli/options/exit-codes.ts";

const RECORD_SEPARATOR = "\u001e";

for (const parameters of z.array(z.array(z.string())).parse(JSON.parse(process.argv[2] ?? ""))) {
  const exitCode = await codeOf(parameters);
  process.stdout.write(RECORD_SEPARATOR);
  process.stderr.write(`${exitCode}${RECORD_SEPARATOR}`);
}

async function codeOf(parameters: readonly string[]): Promise<number> {
  try {
    await moderateCommand().exitOverride().parseAsync(parameters, { from: "user" });
    return 0;
  } catch (error) {
    if (!(error instanceof CommanderError)) console.error(error instanceof Error ? error.message : error);
    return error instanceof CommanderError ? WRONG_USAGE : (exitCodeOf(error) ?? FAILED);
  }
}
