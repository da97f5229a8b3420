/** Options, arguments and output that several commands share. */

import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { Command, InvalidArgumentError, Option, type ParseOptionsResult } from "commander";
import { DEFAULT_MEMORY } from "../../pipeline/engine/open.ts";
import { nearest } from "../../pipeline/reading/identifiers.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { isoDate } from "../../schemas/public/scalars.ts";
import { printLines } from "../terminal/text.ts";
import type { VariableName } from "./environment.ts";
import { CommandFailed, UsageError } from "./exit-codes.ts";

export interface SharedOptions {
  readonly store: string;
  readonly json?: true;
}

/** A command with --store and --json, its examples below the help. */
export function command(name: string, description: string, examples: readonly string[]): Command {
  return new ShareCommand(name)
    .description(description)
    .addOption(
      new Option("--store <dir>", "folder of raw payloads and releases")
        .env("SHARE_STORE" satisfies VariableName)
        .default(".share"),
    )
    .option("--json", "one JSON object a line on standard output, the last one the summary")
    .addHelpText("after", `\nExamples:\n${examples.map((example) => `  $ share-release ${example}`).join("\n")}`);
}

/** A command that has only verbs. Without one of them it prints its help and exits with 2. */
export function group(name: string, description: string, verbs: readonly Command[]): Command {
  const all = new ShareCommand(name).description(description);
  for (const each of verbs) all.addCommand(each);
  return all;
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
  .default(availableParallelism(), "all cores of the machine");

export class ShareCommand extends Command {
  #unknown: string | null = null;

  override parseOptions(parameters: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(parameters);
    this.#unknown = parsed.unknown.find((each) => each.startsWith("--")) ?? null;
    return parsed;
  }

  /** Called by the parser. Whoever mistyped `--as-of` is not helped by hearing that it is missing. */
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
 * The path itself.
 * @throws UsageError where the engine would read it as a pattern, and so read the files of other folders that match
 */
export function plainPath(option: string, path: string): string {
  const sign = /[*?[\\]/.exec(path)?.[0];
  if (sign === undefined) return path;
  throw new UsageError(
    `${option} ${path}: a path with "${sign}" is a pattern to the engine; choose one without * ? [ \\`,
  );
}

/**
 * The path, which is that of a file we may read.
 * @throws CommandFailed naming the option
 */
export async function readableFile(option: string, path: string): Promise<string> {
  try {
    await using file = await open(path);
    if ((await file.stat()).isDirectory()) throw new CommandFailed(`${option} ${path} is a folder; give a file`);
    return path;
  } catch (cause) {
    if (cause instanceof CommandFailed) throw cause;
    const reason = cause instanceof Error && "code" in cause ? cause.code : cause;
    throw new CommandFailed(`${option} ${path} cannot be read (${reason}); give a file that can`, { cause });
  }
}

/** @throws CommandFailed where its folder is not there */
export function existingStoreOf(options: SharedOptions): Store {
  const store = storeOf(options);
  if (statSync(store.root, { throwIfNoEntry: false })?.isDirectory() === true) return store;
  throw new CommandFailed(`there is no store ${store.root}; give another --store, or make the folder for a new one`);
}

/** The day it is, in UTC. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** @throws UsageError naming the option, the day it is, and what to give instead (`instead` adds to that) */
export function requirePast(option: string, day: string, instead = ""): void {
  const now = today();
  if (day <= now) return;
  const advice = ["give today or a day before", instead].filter((each) => each !== "").join(", ");
  throw new UsageError(`${option} ${day} is in the future: it is ${now} (UTC); ${advice}`);
}

/**
 * Said without the address, which may hold what must not be repeated.
 * @throws UsageError
 */
export function httpAddress(option: string, text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return url;
  throw new UsageError(`${option} takes an http or https address, without credentials in it`);
}
