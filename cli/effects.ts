/** The real world for stages: network, clock, chance, standard error. */

import { setTimeout as wait } from "node:timers/promises";
import type { Effects } from "../pipeline/effects.ts";
import { progressPrinter } from "./progress.ts";

/** Runs `work` with real effects; progress stops when it ends. */
export async function withEffects<T>(work: (effects: Effects) => Promise<T>): Promise<T> {
  const progress = progressPrinter(process.stderr.isTTY === true);
  try {
    return await work({
      fetch: globalThis.fetch,
      now: () => new Date(),
      sleep: (milliseconds, signal) => wait(milliseconds, undefined, signal === undefined ? {} : { signal }),
      random: Math.random,
      log: (event) => {
        process.stderr.write(`${JSON.stringify(event)}\n`);
      },
      progress: progress.show,
    });
  } finally {
    progress.stop();
  }
}
