/** What can be typed after `share-release`: its commands with their options and values, as the parser knows them. */

import type { Command } from "commander";
import { CSV_SOURCES } from "../../operations/csv/index.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";

/** A word and what it is for. */
export interface CompletedWord {
  readonly word: string;
  readonly says: string;
}

export interface CompletedOption extends CompletedWord {
  /** Values that are known; null where the option takes none, and none of them where it takes a file or any text. */
  readonly values: readonly string[] | null;
}

/** A command by its path (`/keys/delete`), '' for the program itself. */
export interface Completed {
  readonly path: string;
  readonly says: string;
  readonly commands: readonly CompletedWord[];
  readonly options: readonly CompletedOption[];
  /** Arguments that are known; none of them where they are files or any text. */
  readonly values: readonly string[];
}

const HELP = { word: "--help", says: "say what the command does", values: null } as const;

/** Arguments that stand for one of few things: the parser takes any text, and says itself what is near one that is wrong. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  "/harvest": SOURCES.map(({ name }) => name),
  "/sources/check": SOURCES.map(({ name }) => name),
  "/csv": [...CSV_SOURCES.keys()],
};

/** The program and all of its commands, each behind the one it belongs to. */
export function completedOf(command: Command, path = ""): Completed[] {
  const commands = command.commands.map((each) => ({ word: each.name(), says: each.description() }));
  const own: Completed = {
    path,
    says: command.description(),
    commands,
    options: [...optionsOf(command), HELP],
    values: VALUES[path] ?? command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
  return [own, ...command.commands.flatMap((each) => completedOf(each, `${path}/${each.name()}`))];
}

/** The paths of all commands, without the program itself. */
export function pathsOf(all: readonly Completed[]): string[] {
  return all.map(({ path }) => path).filter((path) => path !== "");
}

function optionsOf(command: Command): CompletedOption[] {
  return command.options.flatMap(({ long, description, hidden, required, optional, argChoices }) =>
    hidden || !long
      ? []
      : [{ word: long, says: description, values: required || optional ? (argChoices ?? []) : null }],
  );
}
