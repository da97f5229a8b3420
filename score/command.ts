#!/usr/bin/env node
/** The command of the npm package: scores metadata files like `share-release score`, without the rest of the service. */

import { Command, CommanderError } from "commander";
import { FILES_HELP, type FileOptions, scoreFile, scoreInputs, withFileOptions } from "../cli/commands/score-files.ts";
import { CommandFailed, FAILED, findExitCode, WRONG_USAGE } from "../cli/options/exit-codes.ts";
import { knownSource } from "../cli/options/known-source.ts";
import { terminalText } from "../cli/terminal/text.ts";
import { getReader } from "./readers.ts";

const NAME = "share-release-score";

const command = withFileOptions(
  new Command(NAME)
    .description("Score metadata files without network access, and show the next steps")
    .argument("<files...>", `Metadata files: ${FILES_HELP}`)
    .option("--json", "Print one JSON object"),
).action((files: string[], options: FileOptions) => {
  const source = options.source === undefined ? null : knownSource(options.source);
  return scoreInputs(files, options, async (file, { contract }) => {
    const scored = await scoreFile(file, source, { contract, getReader });
    if (scored === null) throw new CommandFailed(`there is no file ${file}; check the path`);
    return scored;
  });
});

try {
  await command.exitOverride().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE;
  else {
    const isKnown = error instanceof Error && "code" in error;
    const text = error instanceof Error ? (isKnown ? error.message : (error.stack ?? error.message)) : String(error);
    console.error(terminalText(`${NAME}: ${text}`));
    process.exitCode = findExitCode(error) ?? FAILED;
  }
}
