/** Effects for benchmarks: a clock, and no words. */

import { setTimeout as wait } from "node:timers/promises";
import type { Effects } from "../pipeline/stage/effects.ts";

export const silent: Effects = {
  fetch: globalThis.fetch,
  now: () => new Date(),
  sleep: (milliseconds) => wait(milliseconds),
  random: Math.random,
  log: () => undefined,
  progress: () => undefined,
};
