/** The real world for stages: network, clock, chance, standard error. */

import { setTimeout as wait } from "node:timers/promises";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { logLine } from "../text/log-line.ts";
import { progressPrinter } from "../text/progress.ts";
import type { Plan } from "../text/whole-progress.ts";
import { beforeInterruption } from "./interruption.ts";

/** Waits; a signal ends the wait early. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return wait(milliseconds, undefined, signal === undefined ? {} : { signal });
}

/** Runs `work` with real effects; progress stops when it ends, and is that of the whole where a plan says what it has. */
export async function withEffects<T>(work: (effects: Effects) => Promise<T>, plan: Plan | null = null): Promise<T> {
  const progress = progressPrinter(process.stderr, plan, process.env.SHARE_LOG_LEVEL === "debug");
  const untidied = beforeInterruption(progress.stop);
  try {
    return await work({
      fetch: globalThis.fetch,
      now: () => new Date(),
      sleep,
      random: Math.random,
      log: progress.log,
      progress: progress.show,
    });
  } finally {
    progress.stop();
    untidied();
  }
}

/** Real effects but for the network, of what is over in a moment: there is no progress to show. */
export function effectsOver(fetch: Effects["fetch"]): Effects {
  return {
    fetch,
    now: () => new Date(),
    sleep,
    random: Math.random,
    log: (event) => process.stderr.write(`${logLine(event, new Date(), process.stderr.isTTY === true)}\n`),
    progress: () => {},
  };
}

/** When a command does what it does, and how it waits for another that is doing the same. */
export function clocked() {
  return { at: new Date().toISOString(), sleep };
}
