/** Runs share-release in a process of its own, as users do. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { REPOSITORY } from "./bundled-corpus.ts";

export const SHARE_RELEASE = join(REPOSITORY, "bin/share-release.js");

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  /**
   * Variables besides those of this process. SHARE_STORE and NODE_COMPILE_CACHE are not inherited, so they can only be set
   * here.
   */
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** Path of the program; by default that of this repository. */
  readonly program?: string;
}

/** Starts a command of share-release. Its output can be read from the returned process. */
export function startCommand(parameters: readonly string[], options: StartOptions = {}): ChildProcess {
  const { SHARE_STORE: _store, NODE_COMPILE_CACHE: _compiled, ...inherited } = process.env;
  return spawn(process.execPath, [options.program ?? SHARE_RELEASE, ...parameters], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...inherited, ...options.environment },
    cwd: options.folder ?? REPOSITORY,
  });
}

/** Runs a command of share-release to its end, and returns the exit code and the output. */
export async function runCommand(parameters: readonly string[], options: StartOptions = {}): Promise<Ended> {
  const child = startCommand(parameters, options);
  if (child.stdout === null || child.stderr === null) throw new Error("the command has no output");
  const closed = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  return { exitCode: child.exitCode, stdout, stderr };
}

/** Parses each line of an output as JSON. Throws if a line is not JSON. */
export function jsonLines(output: string): unknown[] {
  const lines = output.split("\n");
  if (lines.pop() !== "") throw new Error(`the output does not end with a line end: ${output}`);
  return lines.map((line) => JSON.parse(line));
}
