/** Runs `share-release serve` in a process of its own, as an operator does, on a free port. */

import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { z } from "zod";
import { startCommand } from "./command-line.ts";
import { endProcess } from "./killing.ts";

export interface Serving {
  readonly process: ChildProcess;
  readonly port: number;
  /** Returns the server's log so far. */
  logged(): string;
  /** Sends SIGTERM or another signal to the server, and waits until its process has ended. */
  end(signal?: NodeJS.Signals): Promise<boolean>;
}

const announcement = z.object({ listening: z.url() });

/** Starts a server, and resolves when it listens. Rejects if the server ends before. */
export async function startServing(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
  program?: string,
): Promise<Serving> {
  const options = program === undefined ? { environment } : { environment, program };
  const process = startCommand(["serve", "--json", "--port", "0", ...parameters], options);
  if (process.stdout === null || process.stderr === null) throw new Error("the server has no output");
  const log: string[] = [];
  process.stderr.on("data", (chunk: Buffer) => log.push(chunk.toString("utf8")));
  for await (const line of createInterface({ input: process.stdout })) {
    const { port } = new URL(announcement.parse(JSON.parse(line)).listening);
    return { process, port: Number(port), logged: () => log.join(""), end: (signal) => endProcess(process, signal) };
  }
  throw new Error(`the server ended before it listened: ${log.join("")}`);
}
