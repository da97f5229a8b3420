/** share-release: the command line. One file a command; the only place that prints, reads the environment or exits. */

import { Command, CommanderError } from "commander";
import { toolVersion } from "../pipeline/6-release/tool.ts";
import { accountsCommand } from "./commands/accounts.ts";
import { activateCommand } from "./commands/activate.ts";
import { buildCommand } from "./commands/build.ts";
import { checkCommand } from "./commands/check.ts";
import { csvCommand } from "./commands/csv.ts";
import { diffCommand } from "./commands/diff.ts";
import { evaluateCommand } from "./commands/evaluate.ts";
import { fetchCommand } from "./commands/fetch.ts";
import { fixturesCommand } from "./commands/fixtures.ts";
import { disputesCommand } from "./commands/governance/disputes.ts";
import { retractCommand } from "./commands/governance/retract.ts";
import { signingKeysCommand } from "./commands/governance/signing-keys.ts";
import { harvestCommand } from "./commands/harvest.ts";
import { keygenCommand } from "./commands/keygen.ts";
import { keysCommand } from "./commands/keys.ts";
import { logCommand } from "./commands/log.ts";
import { doctorCommand } from "./commands/machine/doctor.ts";
import { nginxCommand } from "./commands/machine/nginx.ts";
import { normaliseCommand } from "./commands/machine/normalise.ts";
import { planCommand } from "./commands/machine/plan.ts";
import { moderateCommand } from "./commands/moderate.ts";
import { pageCommand } from "./commands/page.ts";
import { pruneCommand } from "./commands/prune.ts";
import { publishCommand } from "./commands/publish.ts";
import { releasesCommand } from "./commands/releases.ts";
import { rollbackCommand } from "./commands/rollback.ts";
import { runCommand } from "./commands/run.ts";
import { serveCommand } from "./commands/serve.ts";
import { sourcesCommand } from "./commands/sources.ts";
import { sampleCommand } from "./commands/validation/sample.ts";
import { validateCommand } from "./commands/validation/validate.ts";
import { verifyCommand } from "./commands/verify.ts";
import { completionCommand } from "./completion/index.ts";
import { exitCodeOf, FAILED, WRONG_USAGE } from "./options/exit-codes.ts";
import { watchInterruptions } from "./options/interruption.ts";
import { keptBy } from "./options/kept.ts";
import { storageAdvice } from "./text/storage-advice.ts";
import { terminalText } from "./text/terminal-text.ts";
import { usageInOneLine } from "./text/usage-line.ts";

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
    normaliseCommand,
    buildCommand,
    runCommand,
    evaluateCommand,
    checkCommand,
    serveCommand,
    releasesCommand,
    activateCommand,
    rollbackCommand,
    retractCommand,
    verifyCommand,
    logCommand,
    pageCommand,
    csvCommand,
    fetchCommand,
    publishCommand,
    pruneCommand,
    keygenCommand,
    signingKeysCommand,
    doctorCommand,
    planCommand,
    diffCommand,
    validateCommand,
    sampleCommand,
    sourcesCommand,
    keysCommand,
    accountsCommand,
    moderateCommand,
    disputesCommand,
    nginxCommand,
    completionCommand,
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
