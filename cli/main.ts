/** Runs the command `share-release`. Only code in this folder prints, reads the environment or exits. */

import { Command, CommanderError, type OutputConfiguration } from "commander";
import { toolVersion } from "../pipeline/6-release/tool-version.ts";
import { getErrorMessage } from "../pipeline/stage/effects.ts";
import { interruptionText, watchInterruptions } from "./options/effects.ts";
import { loadSettings } from "./options/environment.ts";
import { EXIT_CODES, FAILED, findExitCode, WRONG_USAGE } from "./options/exit-codes.ts";
import { group } from "./options/shared.ts";
import { terminalText } from "./terminal/text.ts";

type Create = () => Promise<Command>;

/** A group of commands that begin with the same word, for example `release`. */
interface Group {
  readonly description: string;
  readonly verbs: ReadonlyMap<string, Create>;
}

/** All commands in the order of the help. The code of a command is only loaded when it is called. */
const COMMANDS: ReadonlyMap<string, Create | Group> = new Map<string, Create | Group>([
  ["harvest", async () => (await import("./commands/harvest.ts")).harvestCommand()],
  ["build", async () => (await import("./commands/build.ts")).buildCommand()],
  ["run", async () => (await import("./commands/run.ts")).runCommand()],
  ["serve", async () => (await import("./commands/serve.ts")).serveCommand()],
  ["score", async () => (await import("./commands/score.ts")).scoreCommand()],
  ["fix", async () => (await import("./commands/fix.ts")).fixCommand()],
  [
    "release",
    {
      description: "List, verify, compare, score, activate and publish releases",
      verbs: new Map<string, Create>([
        ["list", async () => (await import("./commands/release-list.ts")).listCommand()],
        ["show", async () => (await import("./commands/release-show.ts")).showCommand()],
        ["verify", async () => (await import("./commands/release-verify.ts")).verifyCommand()],
        ["diff", async () => (await import("./commands/release-diff.ts")).diffCommand()],
        ["score", async () => (await import("./commands/release-score.ts")).releaseScoreCommand()],
        ["log", async () => (await import("./commands/release-list.ts")).logCommand()],
        ["activate", async () => (await import("./commands/release-activate.ts")).activateCommand()],
        ["rollback", async () => (await import("./commands/release-activate.ts")).rollbackCommand()],
        ["retract", async () => (await import("./commands/release-retract.ts")).retractCommand()],
        ["prune", async () => (await import("./commands/release-prune.ts")).pruneCommand()],
        ["export", async () => (await import("./commands/release-export.ts")).exportCommand()],
        ["publish", async () => (await import("./commands/release-publish.ts")).publishCommand()],
        ["fetch", async () => (await import("./commands/release-fetch.ts")).fetchCommand()],
      ]),
    },
  ],
  ["init", async () => (await import("./commands/init.ts")).initCommand()],
  ["key", async () => (await import("./commands/key.ts")).keyCommand()],
  ["account", async () => (await import("./commands/account.ts")).accountCommand()],
  ["source", async () => (await import("./commands/source.ts")).sourceCommand()],
  ["doctor", async () => (await import("./commands/doctor.ts")).doctorCommand()],
  ["completion", async () => (await import("./commands/completion.ts")).completionCommand()],
  ["fixtures", async () => (await import("./commands/fixtures.ts")).fixturesCommand()],
]);

const EPILOGUE = `
Exit codes: ${[...EXIT_CODES].map(([code, { name }]) => `${code} ${name}`).join(", ")}.
Store: --store DIR, or the setting SHARE_STORE, or .share.
Settings: environment variables, or a file in SHARE_CONFIG; share-release doctor lists them.

To create your first release:
  $ share-release fixtures --records 1000 --seed 1
  $ share-release build
  $ share-release serve`;

export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command("share-release")
    .description(
      "Harvest metadata of datasets, score how well they are shared, and publish the scores as immutable releases.",
    )
    .version(await toolVersion(), "-V, --version", "Print the version")
    .helpOption("-h, --help", "Show this help")
    .helpCommand("help [command]", "Show the help of a command")
    .addHelpText("after", EPILOGUE)
    .configureOutput(usageInOneLine("share-release"))
    .exitOverride();
  for (const command of await loadCommands(argv)) program.addCommand(withUsageErrors(command, "share-release"));
  process.stdout.on("error", ignoreClosedPipe);
  let running = program;
  program.hook("preAction", (_program, action) => {
    running = action;
  });
  const unwatch = watchInterruptions(() =>
    interruptionText(listCommandNames(running), running.optsWithGlobals<{ store?: string }>().store ?? ""),
  );
  try {
    await loadSettings().catch(async (error: unknown) => {
      if (argv[2] === "run") await (await import("./commands/run.ts")).recordInvalidSettings();
      throw error;
    });
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = report(error);
  } finally {
    unwatch();
  }
}

/** Returns every command, in the order of the help. */
export function allCommands(): Promise<Command[]> {
  return Promise.all([...COMMANDS].map(([name, entry]) => createCommand(name, entry, "")));
}

/**
 * Loads only the command that the user calls. Loads all commands for the help, for an unknown name and for completion
 * scripts.
 */
async function loadCommands([, , name = "", verb = ""]: readonly string[]): Promise<Command[]> {
  if (name === "--version" || name === "-V") return [];
  const entry = COMMANDS.get(name);
  if (entry !== undefined && name !== "completion") return [await createCommand(name, entry, verb)];
  return allCommands();
}

/**
 * Creates a command. A group such as `release` gets only the verb that the user calls, or all its verbs if there is no
 * verb of that name.
 */
async function createCommand(name: string, entry: Create | Group, verb: string): Promise<Command> {
  if (typeof entry === "function") return entry();
  const one = entry.verbs.get(verb);
  const verbs = one === undefined ? [...entry.verbs.values()] : [one];
  return group(name, entry.description, await Promise.all(verbs.map((create) => create())));
}

/** Makes a command and its verbs report wrong usage in one line that refers to their help. */
function withUsageErrors(command: Command, parent: string): Command {
  const path = `${parent} ${command.name()}`;
  for (const each of command.commands) withUsageErrors(each, path);
  return command.helpOption("-h, --help", "Show this help").configureOutput(usageInOneLine(path)).exitOverride();
}

function listCommandNames(command: Command): string[] {
  return command.parent === null ? [] : [...listCommandNames(command.parent), command.name()];
}

/**
 * Ignores the error EPIPE, which occurs if the program that reads our output ends early (`share-release … | head`). The
 * command then still completes its work.
 */
function ignoreClosedPipe(error: Error): void {
  if (!("code" in error && error.code === "EPIPE")) throw error;
}

/** Prints an expected error in one line, and a fault of this program with its stack. Returns the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
  const known = error instanceof Error && "code" in error;
  const advice = storageAdvice(error);
  const message = getErrorMessage(error);
  const text = advice === null ? message : `${message.replace(/\.$/, "")}; ${advice}`;
  const plain = known || advice !== null || !(error instanceof Error);
  console.error(terminalText(plain ? `share-release: ${text}` : (error.stack ?? text)));
  return findExitCode(error) ?? FAILED;
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC:
    "the disk is full. Free some space and run the same command again; it continues after its finished steps. `share-release release prune --keep 1` removes old releases and the files of failed builds.",
  EDQUOT:
    "the disk quota is used up. Free some space and run the same command again; it continues after its finished steps.",
  EFBIG: "a file reached the size limit. Raise the limit (`ulimit -f`) and run the same command again.",
  EROFS: "the file system is read-only. Mount it for writing, or use a store on another file system.",
  EACCES: "this user has no permission. Run the command as the owner of the store (see `share-release doctor`).",
  EPERM: "this user has no permission. Run the command as the owner of the store (see `share-release doctor`).",
  EMFILE: "too many files are open. Raise the limit (`ulimit -n`) and run the same command again.",
};

/** Patterns for messages of DuckDB, each with the code of the advice. DuckDB's own errors have no codes. */
const ENGINE_MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/no space left on device/i, "ENOSPC"],
  [/disk quota exceeded/i, "EDQUOT"],
  [/file too large/i, "EFBIG"],
  [/read-only file system/i, "EROFS"],
];

/**
 * Returns advice if the error or one of its causes is an error of the file system, such as a full disk. Returns null for
 * other errors.
 */
export function storageAdvice(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = "code" in at && typeof at.code === "string" ? at.code : "";
    const message = at.message;
    const named = ADVICE[code] ?? ADVICE[ENGINE_MESSAGES.find(([words]) => words.test(message))?.[1] ?? ""];
    if (named !== undefined) return named;
  }
  return null;
}

/**
 * Returns the output settings that make a command report wrong usage in one line. `name` is the full name of the
 * command, such as `share-release build`.
 */
export function usageInOneLine(name: string): OutputConfiguration {
  return {
    outputError: (text, write) => {
      // The parser prints suggestions on a second line, and ends some messages with a full stop.
      const problem = text
        .replace(/^error: /, "")
        .trim()
        .replace(/\.$/, "")
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .join(" ");
      write(`share-release: ${problem}; see \`${name} --help\`\n`);
    },
  };
}
