/** share-release: the command line. One file a command; the only place that prints, reads the environment or exits. */

import { Command, CommanderError } from "commander";
import { toolVersion } from "../pipeline/6-release/tool.ts";
import { accountsCommand } from "./accounts.ts";
import { activateCommand } from "./activate.ts";
import { buildCommand } from "./build.ts";
import { diffCommand } from "./diff.ts";
import { doctorCommand } from "./doctor.ts";
import { evaluateCommand } from "./evaluate.ts";
import { exitCodeOf, FAILED, WRONG_USAGE } from "./exit-codes.ts";
import { fetchCommand } from "./fetch.ts";
import { fixturesCommand } from "./fixtures.ts";
import { harvestCommand } from "./harvest.ts";
import { watchInterruptions } from "./interruption.ts";
import { keptBy } from "./kept.ts";
import { keygenCommand } from "./keygen.ts";
import { keysCommand } from "./keys.ts";
import { logCommand } from "./log.ts";
import { moderateCommand } from "./moderate.ts";
import { nginxCommand } from "./nginx.ts";
import { pruneCommand } from "./prune.ts";
import { publishCommand } from "./publish.ts";
import { releasesCommand } from "./releases.ts";
import { rollbackCommand } from "./rollback.ts";
import { serveCommand } from "./serve.ts";
import { sourcesCommand } from "./sources.ts";
import { storageAdvice } from "./storage-advice.ts";
import { terminalText } from "./terminal-text.ts";
import { usageInOneLine } from "./usage-line.ts";
import { verifyCommand } from "./verify.ts";

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
  const commands = [
    harvestCommand,
    fixturesCommand,
    buildCommand,
    evaluateCommand,
    serveCommand,
    releasesCommand,
    activateCommand,
    rollbackCommand,
    verifyCommand,
    logCommand,
    fetchCommand,
    publishCommand,
    pruneCommand,
    keygenCommand,
    doctorCommand,
    diffCommand,
    sourcesCommand,
    keysCommand,
    accountsCommand,
    moderateCommand,
    nginxCommand,
  ];
  for (const create of commands) {
    const command = create();
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

/** What one calls a command by: `accounts backup`, without the program's own name. */
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
