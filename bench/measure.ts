/** Measures time, processor time and memory for the benchmarks. */

import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Effects } from "../pipeline/stage/effects.ts";

/** Returns the seconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** One figure of a benchmark: a ratio, its goal, and the measured values. */
export interface Figure {
  readonly name: string;
  readonly ratio: number;
  readonly goal: string;
  readonly met: boolean;
  readonly detail: string;
}

/** Effects for benchmarks: they have a clock and write no logs. */
export const silent: Effects = {
  fetch: globalThis.fetch,
  now: () => new Date(),
  sleep: (milliseconds) => wait(milliseconds),
  random: Math.random,
  log: () => undefined,
  progress: () => undefined,
};

const PROGRAM = fileURLToPath(new URL("../bin/share-release.js", import.meta.url));

/** Clock ticks per second in the files of /proc, the same on every machine. */
const TICKS = 100;

/**
 * Returns the processor seconds, user and system, of a command and all its processes (Linux only). Commands must run
 * one at a time.
 * @throws Error if the command fails
 */
export async function measureProcessorSeconds(words: readonly string[]): Promise<number> {
  const before = secondsOfEnded();
  await promisify(execFile)(process.execPath, [PROGRAM, ...words], { maxBuffer: 1 << 26 });
  return secondsOfEnded() - before;
}

/** Returns the processor seconds of all child processes that have ended, including their children. */
function secondsOfEnded(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  // The program's name in brackets may contain spaces, so fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
}

const EVERY_MILLISECONDS = 50;
const PAGE = 4096;

/**
 * Samples the resident memory of this process and its children (Linux only). The returned function stops sampling and
 * returns the peak in bytes. Shared pages count for each process.
 */
export function watchMemory(): () => number {
  let most = 0;
  const look = () => {
    most = Math.max(most, readResidentMemory(process.pid));
  };
  const timer = setInterval(look, EVERY_MILLISECONDS);
  return () => {
    clearInterval(timer);
    look();
    return most;
  };
}

function readResidentMemory(pid: number): number {
  try {
    const own = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE;
    return listChildren(pid).reduce((sum, child) => sum + readResidentMemory(child), own);
  } catch {
    // The process ended between the two reads.
    return 0;
  }
}

/** Returns the ids of the child processes of a process. Any thread of the process may have started one. */
function listChildren(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}
