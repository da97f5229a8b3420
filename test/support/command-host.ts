/**
 * Runs commands one after another in one process, for tests of parameters and output, because a new process for each command
 * takes a hundred times as long. Tests of signals, pipes and exit use real processes (command-line.ts).
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { z } from "zod";
import { REPOSITORY } from "./bundled-corpus.ts";
import type { Ended, StartOptions } from "./command-line.ts";

const answer = z.strictObject({ exitCode: z.int(), stdout: z.string(), stderr: z.string() });

export interface CommandHost extends AsyncDisposable {
  /** Runs a command to its end. A command waits until the commands before it have ended. */
  run(parameters: readonly string[], options?: StartOptions): Promise<Ended>;
}

/** Starts a process that runs commands. `module` is a file whose function `run` takes the parameters and sets the exit code. */
export function commandHost(module: string): CommandHost {
  const {
    SHARE_STORE: _store,
    FORCE_COLOR: _force,
    NO_COLOR: _no,
    SHARE_CONTACT: _contact,
    ...inherited
  } = process.env;
  const child = fork(join(import.meta.dirname, "command-host-child.ts"), [module], {
    // Output is a pipe and not a terminal, as with `runCommand`.
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: inherited,
    execArgv: [],
  });
  child.stdout?.resume();
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(parameters, options = {}) {
      const next = last.then(() => ask(child, parameters, options));
      last = next.catch(() => undefined);
      return next;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}

let shared: CommandHost | null = null;

/** Runs a command of share-release. All commands of a suite run in the same process, which ends with the suite. */
export function runHosted(parameters: readonly string[], options: StartOptions = {}): Promise<Ended> {
  shared ??= commandHost(join(REPOSITORY, "test/cli/share-release.ts"));
  return shared.run(parameters, options);
}

async function ask(child: ChildProcess, parameters: readonly string[], options: StartOptions): Promise<Ended> {
  const waiting = new AbortController();
  const { signal } = waiting;
  // A command that ends the process ends the host of all that follow, and must report it.
  const ended = once(child, "exit", { signal }).then(() => {
    throw new Error(`the command ended the process that runs all commands of the suite: ${parameters.join(" ")}`);
  });
  const answered = once(child, "message", { signal }).then(([message]) => answer.parse(message));
  const both = Promise.race([answered, ended]).finally(() => waiting.abort());
  for (const one of [answered, ended]) one.catch(() => undefined);
  child.send({ parameters, environment: options.environment ?? {}, folder: options.folder ?? REPOSITORY });
  return both;
}
