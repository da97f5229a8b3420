/** Sections for the reference of the command line: commands, exit codes and environment variables. */

import type { Command, Option } from "commander";
import { allCommands } from "../../cli/main.ts";
import { EXIT_CODES, STEP_FAILED } from "../../cli/options/exit-codes.ts";
import { SETTINGS, type Setting, sourceSettings } from "../../cli/options/settings.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { blocks, code, codes, table } from "./markdown.ts";

/** Options that every command has. They are left out here, because the page explains them once. */
const SHARED = ["--store", "--json"];

/** Writes one chapter for each command, in the order of the help. */
export async function commands(): Promise<string> {
  return blocks(...(await allCommands()).flatMap((command) => chapters(command, "")));
}

/** Returns the chapter of a command. A group of commands, such as `release`, has one chapter for each command in it. */
function chapters(command: Command, parent: string): string[] {
  const name = `${parent}${command.name()}`;
  if (command.commands.length > 0) return command.commands.flatMap((each) => chapters(each, `${name} `));
  const parameters = command.registeredArguments.map((argument) => {
    const ending = argument.variadic ? "..." : "";
    return argument.required ? `<${argument.name()}${ending}>` : `[${argument.name()}${ending}]`;
  });
  const rows = [
    ...command.registeredArguments.map((argument, i) => [
      code(parameters[i] ?? ""),
      sentence(argument.description),
      "",
    ]),
    ...command.options.filter(({ long, hidden }) => !hidden && !SHARED.includes(long ?? "")).map(optionRow),
  ];
  return [
    `## ${name}`,
    `${code(["share-release", name, ...parameters].join(" "))}: ${command.description()}.`,
    rows.length === 0 ? "" : table(["argument or option", "meaning", "default"], rows),
  ].filter((part) => part !== "");
}

function optionRow(option: Option): string[] {
  const choices = option.argChoices === undefined ? "" : ` One of ${codes(option.argChoices)}.`;
  const variable = option.envVar === undefined ? "" : ` Environment variable: ${code(option.envVar)}.`;
  return [code(option.flags), `${sentence(option.description)}${choices}${variable}`, formatDefault(option)];
}

function formatDefault({ defaultValue, defaultValueDescription }: Option): string {
  if (defaultValueDescription !== undefined) return defaultValueDescription;
  return defaultValue === undefined || defaultValue === null ? "" : code(String(defaultValue));
}

/** Returns the text of an argument or option as a sentence: with a capital letter and a full stop. */
function sentence(text: string): string {
  const placeholders = text.replace(/<[A-Z]+>/g, (name) => `\\${name}`);
  return `${placeholders.charAt(0).toUpperCase()}${placeholders.slice(1)}${/[.!]$/.test(text) ? "" : "."}`;
}

/** Writes a table of the exit codes of all commands, and of those that only `run` has. */
export async function exitCodes(): Promise<string> {
  const steps = Object.entries(STEP_FAILED).map(([step, exitCode]) => [
    String(exitCode),
    code("run"),
    `the step ${code(step)} failed`,
  ]);
  const shared = [...EXIT_CODES].map(([exitCode, { name, when }]) => [String(exitCode), "all", `${name}: ${when}`]);
  return table(["code", "commands", "meaning"], [...shared, ...steps]);
}

/** Writes a table of the settings that commands read from the environment. */
export async function environmentVariables(): Promise<string> {
  return settingsTable("commands", Object.entries(SETTINGS));
}

/** Writes a table of the settings of single sources: credentials, and hosts of other installations. */
export async function sourceVariables(): Promise<string> {
  return settingsTable("sources", [...sourceSettings(SOURCES)]);
}

function settingsTable(users: string, settings: readonly (readonly [string, Setting])[]): string {
  const rows = settings.map(([name, { commands: used, type, meaning, fallback, secret }]) => [
    code(name),
    used.map((each) => (each === "all commands" ? each : code(each))).join(", "),
    `${type.description}${secret === undefined ? "" : "; secret"}`,
    meaning,
    fallback,
  ]);
  return table(["setting", users, "type", "meaning", "if not set"], rows);
}
