/** Options and output every command has. */

import { availableParallelism } from "node:os";
import { type Command, InvalidArgumentError, Option } from "commander";
import { DEFAULT_MEMORY } from "../../pipeline/engine/open.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { isoDate } from "../../schemas/public/scalars.ts";
import { printLines } from "../text/terminal-text.ts";
import { plainPath } from "./plain-path.ts";
import { ShareCommand } from "./share-command.ts";

export interface SharedOptions {
  readonly store: string;
  readonly json?: true;
}

/** A command with --store and --json, its examples below the help. */
export function command(name: string, description: string, examples: readonly string[]): Command {
  return new ShareCommand(name)
    .description(description)
    .addOption(new Option("--store <dir>", "folder of raw payloads and releases").env("SHARE_STORE").default(".share"))
    .option("--json", "one JSON object a line on standard output, the last one the summary")
    .addHelpText("after", `\nExamples:\n${examples.map((example) => `  $ share-release ${example}`).join("\n")}`);
}

export function storeOf(options: SharedOptions): Store {
  return openStore(plainPath("--store", options.store));
}

/** Prints the result: the object itself as one line with --json, else the text made of it, by `print` where it is painted. */
export function printResult<T>(
  options: SharedOptions,
  result: T,
  text: (result: T) => string,
  print: (text: string) => void = printLines,
): void {
  if (options.json) printLines(JSON.stringify(result));
  else print(text(result));
}

/** Parses a day such as 2026-11-01. */
export function dayArgument(text: string): string {
  const date = new Date(`${text}T00:00:00Z`);
  if (!isoDate.safeParse(text).success || Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text) {
    throw new InvalidArgumentError("expected a day such as 2026-11-01.");
  }
  return text;
}

/** Parses a size as DuckDB takes it. */
export function sizeArgument(text: string): string {
  if (!/^[1-9]\d*(\.\d+)? ?([KMGT]i?B)$/i.test(text)) throw new InvalidArgumentError("expected a size such as 512MB.");
  return text;
}

/** Parses a whole number of at least `least` and at most `most`. */
export function countArgument(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < least || number > most) {
      const bounds = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
      throw new InvalidArgumentError(`expected a whole number ${bounds}.`);
    }
    return number;
  };
}

export const rubricOption = new Option("--rubric <versions...>", "public versions to publish")
  .choices([...PUBLIC_VERSIONS])
  .default([...PUBLIC_VERSIONS], PUBLIC_VERSIONS.join(" and "));

/** `of`: what the engine joins, whose size on the disk its memory goes by where nobody names it. */
export const memoryOption = (of: string): Option =>
  new Option("--memory <size>", "memory limit of the engine, such as 1GB; what does not fit spills to disk")
    .argParser(sizeArgument)
    .default(null, `${DEFAULT_MEMORY}, or what ${of} take on disk if that is more, up to a quarter of the memory`);

export const threadsOption = new Option("--threads <n>", "cores to use")
  .argParser(countArgument(1))
  .default(availableParallelism(), `all: ${availableParallelism()}`);
