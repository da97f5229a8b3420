/** Starts a process of ours that opens an account store, and hears what it says, a JSON value a line. */

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface Child {
  readonly process: ChildProcess;
  /** The next thing it says, parsed; rejects where it ends instead. */
  heard(): Promise<unknown>;
}

/** Runs a file with `options` as JSON in its first argument. */
export function startChild(file: URL, options: object): Child {
  const child = spawn(process.execPath, [file.pathname, JSON.stringify(options)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  // Listening from now on: lines that come before anybody asks are kept.
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    async heard() {
      const { done, value } = await lines.next();
      if (done === true) throw new Error(`${file.pathname} ended with ${child.exitCode ?? child.signalCode}`);
      return JSON.parse(value);
    },
  };
}
