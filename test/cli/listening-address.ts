/** Reads the address at which a new process of `serve --json` listens. */

import type { ChildProcess } from "node:child_process";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";

export interface Listening {
  readonly address: string;
  /** Resolves to all of the standard output when the process ends. */
  readonly stdout: Promise<string>;
}

/**
 * Waits for the first line of the process's output, which contains the address. Rejects if the process ends without such a
 * line.
 */
export async function listeningAddress(child: ChildProcess): Promise<Listening> {
  if (child.stdout === null) throw new Error("the command has no output");
  const lines = child.stdout.pipe(new PassThrough());
  const stdout = text(child.stdout.pipe(new PassThrough()));
  let said = "";
  for await (const chunk of lines.iterator({ destroyOnReturn: false })) {
    said += chunk;
    if (said.includes("\n")) break;
  }
  lines.resume();
  const { listening } = JSON.parse(said.slice(0, said.indexOf("\n")));
  return { address: listening, stdout };
}
