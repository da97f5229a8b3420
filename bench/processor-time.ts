/** Processor time of a command of ours with all the processes it starts: Linux only. */

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

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
