/** Timing: medians of whole runs. */

import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Effects } from "../pipeline/stage/effects.ts";

/** Seconds that `work` takes. */
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

/** One figure of a benchmark: a ratio, its goal, and what was measured. */
export interface Figure {
  readonly name: string;
  readonly ratio: number;
  readonly goal: string;
  readonly met: boolean;
  readonly detail: string;
}

/** Effects for benchmarks: a clock, and no words. */
export const silent: Effects = {
  fetch: globalThis.fetch,
  now: () => new Date(),
  sleep: (milliseconds) => wait(milliseconds),
  random: Math.random,
  log: () => undefined,
  progress: () => undefined,
};

const PROGRAM = fileURLToPath(new URL("../bin/share-release.js", import.meta.url));

/** Clock ticks a second in /proc, whatever the machine. */
const TICKS = 100;

/** User and system seconds of a command, which has to succeed. One at a time. */
export async function processorSecondsOf(words: readonly string[]): Promise<number> {
  const before = secondsOfEnded();
  await promisify(execFile)(process.execPath, [PROGRAM, ...words], { maxBuffer: 1 << 26 });
  return secondsOfEnded() - before;
}

/** Of the processes that this one started and waited for, and of those that they did. */
function secondsOfEnded(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  // The name of the program, in brackets, may have spaces; fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
}

const EVERY_MILLISECONDS = 50;
const PAGE = 4096;

/** Resident bytes at the peak, of all together; pages they share are counted once for each. Call the result to end. */
export function watchMemory(): () => number {
  let most = 0;
  const look = () => {
    most = Math.max(most, residentOf(process.pid));
  };
  const timer = setInterval(look, EVERY_MILLISECONDS);
  return () => {
    clearInterval(timer);
    look();
    return most;
  };
}

function residentOf(pid: number): number {
  try {
    const own = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE;
    return childrenOf(pid).reduce((sum, child) => sum + residentOf(child), own);
  } catch {
    // It ended between the two looks.
    return 0;
  }
}

/** Any thread may have started a process. */
function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}
