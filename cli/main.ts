/** share-release: the command line. One file a command; the only place that prints, reads the environment or exits. */

import { Command, CommanderError } from "commander";
import { toolVersion } from "../pipeline/6-release/index.ts";
import { exitCodeOf, FAILED, WRONG_USAGE } from "./options/exit-codes.ts";
import { watchInterruptions } from "./options/interruption.ts";
import { keptBy } from "./options/kept.ts";
import { storageAdvice } from "./text/storage-advice.ts";
import { terminalText } from "./text/terminal-text.ts";
import { usageInOneLine } from "./text/usage-line.ts";

/** The commands by the names one calls them by, in the order of the help. What a command stands on is read when it is called. */
const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ["harvest", async () => (await import("./commands/harvest.ts")).harvestCommand()],
  ["fixtures", async () => (await import("./commands/fixtures.ts")).fixturesCommand()],
  ["build", async () => (await import("./commands/build.ts")).buildCommand()],
  ["run", async () => (await import("./commands/run.ts")).runCommand()],
  ["evaluate", async () => (await import("./commands/evaluate.ts")).evaluateCommand()],
  ["check", async () => (await import("./commands/check.ts")).checkCommand()],
  ["serve", async () => (await import("./commands/serve.ts")).serveCommand()],
  ["releases", async () => (await import("./commands/releases.ts")).releasesCommand()],
  ["activate", async () => (await import("./commands/activate.ts")).activateCommand()],
  ["rollback", async () => (await import("./commands/rollback.ts")).rollbackCommand()],
  ["retract", async () => (await import("./commands/governance/retract.ts")).retractCommand()],
  ["verify", async () => (await import("./commands/verify.ts")).verifyCommand()],
  ["log", async () => (await import("./commands/log.ts")).logCommand()],
  ["page", async () => (await import("./commands/page.ts")).pageCommand()],
  ["csv", async () => (await import("./commands/csv.ts")).csvCommand()],
  ["fetch", async () => (await import("./commands/fetch.ts")).fetchCommand()],
  ["publish", async () => (await import("./commands/publish.ts")).publishCommand()],
  ["prune", async () => (await import("./commands/prune.ts")).pruneCommand()],
  ["key", async () => (await import("./commands/key.ts")).keyCommand()],
  ["doctor", async () => (await import("./commands/machine/doctor.ts")).doctorCommand()],
  ["diff", async () => (await import("./commands/diff.ts")).diffCommand()],
  ["sources", async () => (await import("./commands/sources.ts")).sourcesCommand()],
  ["keys", async () => (await import("./commands/keys.ts")).keysCommand()],
  ["accounts", async () => (await import("./commands/accounts.ts")).accountsCommand()],
  ["moderate", async () => (await import("./commands/moderate.ts")).moderateCommand()],
  ["completion", async () => (await import("./completion.ts")).completionCommand()],
]);

const EPILOGUE = `
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done but with refused input.
The store is --store DIR, else the environment's SHARE_STORE, else .share.

A first release:
  $ share-release fixtures --records 1000 --seed 1
  $ share-release build --as-of 2026-11-01
  $ share-release serve`;

export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command("share-release")
    .description("Harvest, score and publish data-sharing quality scores as immutable, content-digested releases.")
    .version(await toolVersion())
    .addHelpText("after", EPILOGUE)
    .configureOutput(usageInOneLine("share-release"))
    .exitOverride();
  for (const command of await called(argv)) {
    program.addCommand(command.configureOutput(usageInOneLine(`share-release ${command.name()}`)).exitOverride());
  }
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

/** The command that is called; all of them where one asks about them: help, a name that is none, the completion of names. */
async function called([, , name = ""]: readonly string[]): Promise<Command[]> {
  if (name === "--version" || name === "-V") return [];
  const create = COMMANDS.get(name);
  if (create !== undefined && name !== "completion") return [await create()];
  return Promise.all([...COMMANDS.values()].map((each) => each()));
}

/** Returns the name that calls a command, such as `keys delete`, without the name of the program. */
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
