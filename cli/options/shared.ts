/** Options, arguments and functions for output that several commands share. */

import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { Command, InvalidArgumentError, Option, type ParseOptionsResult } from "commander";
import type { z } from "zod";
import { DEFAULT_MEMORY } from "../../pipeline/engine/memory.ts";
import { nearest } from "../../pipeline/reading/identifiers.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { isoDate } from "../../schemas/public/scalars.ts";
import { printLines } from "../terminal/text.ts";
import { loadedValue } from "./environment.ts";
import { CommandFailed, UsageError } from "./exit-codes.ts";
import { type SettingName, size, wholeNumber } from "./settings.ts";

export interface SharedOptions {
  readonly store: string;
  readonly json?: true;
}

/** Returns a new command with the options --store and --json, and with examples in its help. */
export function command(name: string, description: string, examples: readonly string[]): Command {
  return new ShareCommand(name)
    .description(description)
    .addOption(
      new Option("--store <dir>", "Folder of raw payloads and releases")
        .env("SHARE_STORE" satisfies SettingName)
        .default(".share"),
    )
    .option("--json", "Print one JSON object per line, with the summary last")
    .addHelpText("after", `\nExamples:\n${examples.map((example) => `  $ share-release ${example}`).join("\n")}`);
}

/**
 * Returns a group: a command such as `release` that only has verbs. Called without a verb, it prints its help and exits
 * with 2.
 */
export function group(name: string, description: string, verbs: readonly Command[]): Command {
  const all = new ShareCommand(name)
    .description(description)
    .helpCommand("help [command]", "Show the help of a command");
  for (const each of verbs) all.addCommand(each);
  return all;
}

export function openChosenStore(options: SharedOptions): Store {
  return openStore(plainPath("--store", options.store));
}

/** Prints a result: as one line of JSON with --json, otherwise as text. `print` prints text with colours. */
export function printResult<T>(
  options: Pick<SharedOptions, "json">,
  result: T,
  text: (result: T) => string,
  print: (text: string) => void = printLines,
): void {
  if (options.json) printLines(JSON.stringify(result));
  else print(text(result));
}

export function dayArgument(text: string): string {
  const date = new Date(`${text}T00:00:00Z`);
  if (!isoDate.safeParse(text).success || Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text) {
    throw new InvalidArgumentError("expected a day such as 2026-11-01.");
  }
  return text;
}

/** Parses a size in the format of DuckDB. */
export const sizeArgument = makeArgumentParser(size);

/** Returns a parser for a whole number from `least` to `most`. */
export function countArgument(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return makeArgumentParser(wholeNumber(least, most));
}

function makeArgumentParser<T>(type: z.ZodType<T, string>): (text: string) => T {
  return (text) => {
    const parsed = type.safeParse(text);
    if (parsed.success) return parsed.data;
    throw new InvalidArgumentError(`expected ${type.description}.`);
  };
}

export const rubricOption = new Option("--rubric <versions...>", "Public versions to publish")
  .choices([...PUBLIC_VERSIONS])
  .default([...PUBLIC_VERSIONS], PUBLIC_VERSIONS.join(" and "));

/**
 * Returns the option for DuckDB's memory limit. `input` names the data in the help, for example "payloads", because the
 * default depends on their size on disk.
 */
export const memoryOption = (input: string): Option =>
  new Option("--memory <size>", "Memory limit of the engine, such as 1GB; more data spill to disk")
    .argParser(sizeArgument)
    .default(null, `${DEFAULT_MEMORY}, or the size of the ${input} on disk if larger, up to a quarter of the RAM`);

export function threadsOption(name?: SettingName): Option {
  const option = new Option("--threads <n>", "Number of CPU cores")
    .argParser(countArgument(1))
    .default(availableParallelism(), "all cores of the machine");
  return name === undefined ? option : option.env(name);
}

export class ShareCommand extends Command {
  #unknown: string | null = null;

  override parseOptions(parameters: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(parameters);
    this.#unknown = parsed.unknown.find((each) => each.startsWith("--")) ?? null;
    for (const option of this.options) this.#useSetting(option);
    return parsed;
  }

  /**
   * Sets an option from a settings file or a credential. The option parser already reads environment variables, which
   * have priority.
   */
  #useSetting(option: Option): void {
    const value = option.envVar === undefined ? undefined : loadedValue(option.envVar);
    const name = option.attributeName();
    if (value === undefined || !["default", undefined].includes(this.getOptionValueSource(name))) return;
    this.setOptionValueWithSource(name, option.parseArg?.(value, undefined) ?? value, "config");
  }

  /** Reports a missing mandatory option. If another option looks like a mistyped spelling of it, suggests the right one. */
  missingMandatoryOptionValue({ flags }: { readonly flags: string }): never {
    if (this.#unknown === null) return this.error(`error: required option '${flags}' not specified`);
    const [option = ""] = this.#unknown.split("=");
    const known = this.options.flatMap(({ long, hidden }) =>
      hidden || long === undefined || long === null ? [] : long,
    );
    return this.error(`error: unknown option '${option}' (did you mean ${nearest(option, known)}?)`);
  }
}

/**
 * Checks that DuckDB will read a path as one file, and returns the path unchanged.
 *
 * @throws UsageError if DuckDB would read the path as a pattern that matches several files
 */
export function plainPath(option: string, path: string): string {
  const sign = /[*?[\\]/.exec(path)?.[0];
  if (sign === undefined) return path;
  throw new UsageError(`${option} ${path}: the engine reads "${sign}" as a pattern; choose a path without * ? [ \\`);
}

/**
 * Returns the path of a file after checking that it is readable.
 * @throws CommandFailed with the name of the option
 */
export async function readableFile(option: string, path: string): Promise<string> {
  try {
    await using file = await open(path);
    if ((await file.stat()).isDirectory()) throw new CommandFailed(`${option} ${path} is a folder; give a file`);
    return path;
  } catch (cause) {
    if (cause instanceof CommandFailed) throw cause;
    const reason = cause instanceof Error && "code" in cause ? cause.code : cause;
    throw new CommandFailed(`${option} ${path} cannot be read (${reason}); give another file`, { cause });
  }
}

/**
 * Opens the store of the options, which must exist.
 * @throws CommandFailed if its folder is missing
 */
export function openExistingStore(options: SharedOptions): Store {
  const store = openChosenStore(options);
  if (statSync(store.root, { throwIfNoEntry: false })?.isDirectory() === true) return store;
  throw new CommandFailed(
    `there is no store ${store.root}; give another --store, or create the folder for a new store`,
  );
}

export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/**
 * Checks that the day of an option is not in the future. `instead` is another option for the message to suggest.
 * @throws UsageError if it is in the future
 */
export function requirePast(option: string, day: string, instead = ""): void {
  const now = today();
  if (day <= now) return;
  const advice = ["give today or an earlier day", instead].filter((each) => each !== "").join(", ");
  throw new UsageError(`${option} ${day} is in the future: today is ${now} (UTC); ${advice}`);
}

/**
 * Parses a URL. The error message does not contain the URL, because it may contain credentials.
 * @throws UsageError
 */
export function httpUrl(option: string, text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return url;
  throw new UsageError(`${option} expects an http or https URL without credentials, such as https://share.example`);
}

/**
 * Returns the public URL of a site, with a slash at its end.
 * @throws UsageError
 */
export function siteUrl(option: string, text: string): URL {
  const url = httpUrl(option, text);
  if (url.search + url.hash !== "")
    throw new UsageError(
      `${option} expects a URL without a query and a fragment, such as https://share.example/scores/`,
    );
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}
