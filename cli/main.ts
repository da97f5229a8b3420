/** share-release: the command line. Only this folder prints, reads the environment or exits. */

import { Command, CommanderError, type OutputConfiguration } from "commander";
import { toolVersion } from "../pipeline/6-release/index.ts";
import { keptBy, watchInterruptions } from "./options/effects.ts";
import { EXIT_CODES, exitCodeOf, FAILED, WRONG_USAGE } from "./options/exit-codes.ts";
import { group } from "./options/shared.ts";
import { terminalText } from "./terminal/text.ts";

type Create = () => Promise<Command>;

/** Commands that share a first word. */
interface Group {
  readonly description: string;
  readonly verbs: ReadonlyMap<string, Create>;
}

/** The command tree in the order of the help. A command's modules are loaded when it is called. */
const COMMANDS: ReadonlyMap<string, Create | Group> = new Map<string, Create | Group>([
  ["harvest", async () => (await import("./commands/harvest.ts")).harvestCommand()],
  ["build", async () => (await import("./commands/build.ts")).buildCommand()],
  ["run", async () => (await import("./commands/run.ts")).runCommand()],
  ["serve", async () => (await import("./commands/serve.ts")).serveCommand()],
  ["score", async () => (await import("./commands/score.ts")).scoreCommand()],
  [
    "release",
    {
      description: "list, check, compare, activate and publish releases",
      verbs: new Map<string, Create>([
        ["list", async () => (await import("./commands/release-list.ts")).listCommand()],
        ["show", async () => (await import("./commands/release-show.ts")).showCommand()],
        ["verify", async () => (await import("./commands/release-verify.ts")).verifyCommand()],
        ["diff", async () => (await import("./commands/release-diff.ts")).diffCommand()],
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
  ["key", async () => (await import("./commands/key.ts")).keyCommand()],
  ["account", async () => (await import("./commands/account.ts")).accountCommand()],
  ["source", async () => (await import("./commands/source.ts")).sourceCommand()],
  ["doctor", async () => (await import("./commands/doctor.ts")).doctorCommand()],
  ["completion", async () => (await import("./commands/completion.ts")).completionCommand()],
  ["fixtures", async () => (await import("./commands/fixtures.ts")).fixturesCommand()],
]);

const EPILOGUE = `
Exit codes: ${[...EXIT_CODES].map(([code, meaning]) => `${code} ${meaning}`).join(", ")}.
The store is --store DIR, else the environment's SHARE_STORE, else .share.

A first release:
  $ share-release fixtures --records 1000 --seed 1
  $ share-release build
  $ share-release serve`;

export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command("share-release")
    .description("Harvest, score and publish data-sharing quality scores as immutable, content-digested releases.")
    .version(await toolVersion())
    .addHelpText("after", EPILOGUE)
    .configureOutput(usageInOneLine("share-release"))
    .exitOverride();
  for (const command of await called(argv)) program.addCommand(prepared(command, "share-release"));
  process.stdout.on("error", ignoreClosedPipe);
  let running = program;
  program.hook("preAction", (_program, action) => {
    running = action;
  });
  const unwatch = watchInterruptions(() =>
    keptBy(namesOf(running), running.optsWithGlobals<{ store?: string }>().store ?? ""),
  );
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = report(error);
  } finally {
    unwatch();
  }
}

/** Returns every command, in the order of the help. */
export function allCommands(): Promise<Command[]> {
  return Promise.all([...COMMANDS].map(([name, entry]) => created(name, entry, "")));
}

/** Returns the called command; all commands for the help, an unknown name and the completion scripts. */
async function called([, , name = "", verb = ""]: readonly string[]): Promise<Command[]> {
  if (name === "--version" || name === "-V") return [];
  const entry = COMMANDS.get(name);
  if (entry !== undefined && name !== "completion") return [await created(name, entry, verb)];
  return allCommands();
}

/** Creates a command, or a group with the called verb; with all of its verbs if `verb` is none of them. */
async function created(name: string, entry: Create | Group, verb: string): Promise<Command> {
  if (typeof entry === "function") return entry();
  const one = entry.verbs.get(verb);
  const verbs = one === undefined ? [...entry.verbs.values()] : [one];
  return group(name, entry.description, await Promise.all(verbs.map((create) => create())));
}

/** Makes a command and its verbs report wrong usage in one line that names the right help. */
function prepared(command: Command, parent: string): Command {
  const path = `${parent} ${command.name()}`;
  for (const each of command.commands) prepared(each, path);
  return command.configureOutput(usageInOneLine(path)).exitOverride();
}

/** Returns the name that calls a command, such as `release list`, without the name of the program. */
function namesOf(command: Command): string[] {
  return command.parent === null ? [] : [...namesOf(command.parent), command.name()];
}

/** Whoever read our output (`| head`) has seen enough: the work goes on, and ends as it would have. */
function ignoreClosedPipe(error: Error): void {
  if (!("code" in error && error.code === "EPIPE")) throw error;
}

/** One line for what people can act on; the stack only where it is our fault. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
  const known = error instanceof Error && "code" in error;
  const advice = storageAdvice(error);
  const text = advice === null ? messageOf(error) : `${messageOf(error)}; ${advice}`;
  const plain = known || advice !== null || !(error instanceof Error);
  console.error(terminalText(plain ? `share-release: ${text}` : (error.stack ?? text)));
  return exitCodeOf(error) ?? FAILED;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC:
    "the disk is full: make room (`share-release release prune --keep 1` removes old releases and what failed builds left), and run the same command again; what was finished is kept",
  EDQUOT: "the quota is used up: make room, and run the same command again; what was finished is kept",
  EFBIG: "files may not grow any further here: raise the limit (`ulimit -f`), and run the same command again",
  EROFS: "the file system is read-only: mount it for writing, or run this where the store can be written",
  EACCES: "this user may not do that: run it as the one who owns the store (see `share-release doctor`)",
  EPERM: "this user may not do that: run it as the one who owns the store (see `share-release doctor`)",
  EMFILE: "too many files are open: raise the limit (`ulimit -n`)",
};

/** How the engine says the same. */
const IN_WORDS: readonly (readonly [RegExp, string])[] = [
  [/no space left on device/i, "ENOSPC"],
  [/disk quota exceeded/i, "EDQUOT"],
  [/file too large/i, "EFBIG"],
  [/read-only file system/i, "EROFS"],
];

/** Advice for an error of the file system, wherever in the chain of causes it is; null for any other. */
export function storageAdvice(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = "code" in at && typeof at.code === "string" ? at.code : "";
    const message = at.message;
    const named = ADVICE[code] ?? ADVICE[IN_WORDS.find(([words]) => words.test(message))?.[1] ?? ""];
    if (named !== undefined) return named;
  }
  return null;
}

/** Output of the program or of a command, by the name one calls it: `share-release build`. */
export function usageInOneLine(name: string): OutputConfiguration {
  return {
    outputError: (text, write) => {
      // The parser puts its suggestion on a line of its own and ends some messages with a full stop.
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
