/** Days on the command line that must have come: nothing can be judged, or have changed, on one that has not. */

import { UsageError } from "./exit-codes.ts";

/** The day it is, in UTC. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** @throws UsageError naming the option, the day it is, and what to give instead (`instead` adds to that) */
export function requirePast(option: string, day: string, instead = ""): void {
  const now = today();
  if (day <= now) return;
  const advice = ["give today or a day before", instead].filter((each) => each !== "").join(", ");
  throw new UsageError(`${option} ${day} is in the future: it is ${now} (UTC); ${advice}`);
}
