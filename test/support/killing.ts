/** Starts and watches processes for tests, and ends or kills them, as `kill -9` does. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";

/**
 * Sends a signal to a process unless the process has ended, and waits until it is gone. Returns whether the signal ended it.
 */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<boolean> {
  if (child.exitCode === null && child.signalCode === null) {
    const closed = once(child, "close");
    child.kill(signal);
    await closed;
  }
  return child.signalCode === signal;
}

/**
 * Kills a process as soon as `isDue` returns true for the milliseconds since its start, unless the process ends before. Until
 * the process is gone, calls `look` repeatedly. Returns whether the process was killed.
 */
export async function killWhen(
  child: ChildProcess,
  isDue: (elapsed: number) => boolean,
  look: () => Promise<void> = async () => {},
): Promise<boolean> {
  const started = performance.now();
  const closed = once(child, "close");
  let isRunning = true;
  const killing = async () => {
    while (isRunning && !isDue(performance.now() - started)) await wait(0);
    if (isRunning) child.kill("SIGKILL");
  };
  const looking = async () => {
    for (; isRunning; await wait(2)) await look();
  };
  const both = Promise.all([killing(), looking()]);
  await closed;
  isRunning = false;
  await both;
  return child.signalCode === "SIGKILL";
}

export interface Child {
  readonly process: ChildProcess;
  /** Returns the next line of the output, parsed as JSON. Rejects if the process ends instead. */
  heard(): Promise<unknown>;
  /** Closes the input of the process, and waits until it has finished its work. */
  close(): Promise<void>;
}

/** Runs a TypeScript file of the tests as a process. The process gets `options` as JSON in its first argument. */
export function startChild(file: URL, options: object): Child {
  const child = spawn(process.execPath, [file.pathname, JSON.stringify(options)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  // Listens from now on, so that lines that arrive before a test reads them are retained.
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    async heard() {
      const { done, value } = await lines.next();
      if (done === true) throw new Error(`${file.pathname} ended with ${child.exitCode ?? child.signalCode}`);
      return JSON.parse(value);
    },
    async close() {
      child.stdin.end();
      await closed;
    },
  };
}

export interface ServerChild extends Child {
  readonly port: number;
}

/** Runs a TypeScript file that starts a server and prints its port, and waits for the port. */
export async function startServerChild(file: URL, options: object): Promise<ServerChild> {
  const child = startChild(file, options);
  return { ...child, ...z.object({ port: z.int() }).parse(await child.heard()) };
}
