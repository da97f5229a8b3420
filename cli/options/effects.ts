/** The real world for stages: network, clock, chance, standard error, and the signals that end a command. */

import { setTimeout as wait } from "node:timers/promises";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { logLine } from "../terminal/log-line.ts";
import { type Plan, progressPrinter } from "../terminal/progress.ts";
import { environment } from "./environment.ts";

/** Waits; a signal ends the wait early. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return wait(milliseconds, undefined, signal === undefined ? {} : { signal });
}

/** Runs `work` with real effects; progress stops when it ends, and is that of the whole where a plan says what it has. */
export async function withEffects<T>(work: (effects: Effects) => Promise<T>, plan: Plan | null = null): Promise<T> {
  const progress = progressPrinter(process.stderr, plan, environment.SHARE_LOG_LEVEL === "debug");
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

/** The signals that a person or a service manager ends a command with. */
export const INTERRUPTIONS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export type Interruption = (typeof INTERRUPTIONS)[number];

/** Functions to call before a message is printed, such as one that ends the line of a progress bar. */
const tidying = new Set<() => void>();

/** Has `tidy` called before an interrupted command speaks; answers the function that ends that. */
export function beforeInterruption(tidy: () => void): () => void {
  tidying.add(tidy);
  return () => void tidying.delete(tidy);
}

/**
 * Ends this process by the signal that comes, after the line `told` makes; answers the function that ends the watch.
 * What is under way is not waited for: every command writes so that a kill at any moment loses nothing that counts.
 */
export function watchInterruptions(told: () => string): () => void {
  const end = (signal: Interruption) => {
    for (const tidy of tidying) tidy();
    process.stderr.write(`share-release: stopped by ${signal}; ${told()}\n`);
    // Not before it is said: through an older Node the same signal comes twice, and the second would end it unheard.
    stop();
    process.kill(process.pid, signal);
  };
  const stop = () => {
    for (const signal of INTERRUPTIONS) process.off(signal, end);
  };
  for (const signal of INTERRUPTIONS) process.on(signal, end);
  return stop;
}

const READ_ONLY = "nothing was changed; the same command begins again";
const AT_ONCE = "what it was asked to do is done whole, or not begun; look before you give the command again";

/** Sentences by the command's names, or by the first of them; `{store}` is its store. */
export const KEPT: Readonly<Record<string, string>> = {
  harvest: "what came so far is kept in {store}/raw; the same command goes on from there",
  build:
    "the active release is as it was, finished stages are kept in {store}/work; the same command goes on after them",
  run: "the active release is as it was, or already the new one; what came and was built is kept in {store}; the next run goes on from there",
  serve: "it had not begun to answer; the same command begins again",
  score: READ_ONLY,
  release: READ_ONLY,
  "release activate": AT_ONCE,
  "release rollback": AT_ONCE,
  "release retract": AT_ONCE,
  "release prune": "releases removed so far are gone, the others are whole; the same command removes the rest",
  "release publish": "what was sent stays there, and no release there is half visible; the same command sends the rest",
  "release fetch": "what came so far is kept in {store}/incoming; the same command goes on from there",
  key: AT_ONCE,
  "key new": "a private key may exist without its public part: remove it, and give the command again",
  account: AT_ONCE,
  "account list": READ_ONLY,
  "account log": READ_ONLY,
  "account hide":
    "the active release is as it was, or the new one is active; the same command goes on, and removes what is older",
  source: READ_ONLY,
  "source new": "files written so far stay: remove them, and give the command again",
  doctor: READ_ONLY,
  completion: READ_ONLY,
  fixtures:
    "whole parts stay in {store}/raw; the same command writes all of it again, and a build counts each record once",
};

/** The words for a command, by its names from the program on. */
export function keptBy(names: readonly string[], store: string): string {
  const words = KEPT[names.join(" ")] ?? KEPT[names[0] ?? ""] ?? AT_ONCE;
  return words.replaceAll("{store}", store);
}
