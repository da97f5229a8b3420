/**
 * Provides the real effects of stages (network, clock, random numbers, log), and handles the signals that end a command.
 */

import { setTimeout as wait } from "node:timers/promises";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { isLogged, logLine } from "../terminal/log-line.ts";
import { type Plan, progressPrinter } from "../terminal/progress.ts";
import { setting } from "./environment.ts";

/**
 * Sends requests with the HTTP client that is a dependency of this program. The client in Node 24 crashes if a server
 * closes the connection while a body is read slowly, as HTTP/1.0 servers do (undici issue 5360).
 */
export const networkFetch: Effects["fetch"] = async (input, init) => {
  await useOwnClient();
  return globalThis.fetch(input, init);
};

let ownClient: Promise<void> | null = null;

/** Loads the HTTP client on the first request, because most commands send none. */
function useOwnClient(): Promise<void> {
  ownClient ??= import("undici").then(({ Agent, setGlobalDispatcher }) => setGlobalDispatcher(new Agent()));
  return ownClient;
}

export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return wait(milliseconds, undefined, signal === undefined ? {} : { signal });
}

/**
 * Runs `work` with real effects and shows its progress. With a `plan` of all stages, one bar covers the whole command;
 * without one, each stage has its own bar.
 */
export async function withEffects<T>(work: (effects: Effects) => Promise<T>, plan: Plan | null = null): Promise<T> {
  const progress = progressPrinter(process.stderr, plan, leastLevel());
  const removeCleanup = onInterruption(progress.stop);
  try {
    return await work({
      fetch: networkFetch,
      now: () => new Date(),
      sleep,
      random: Math.random,
      log: progress.log,
      progress: progress.show,
    });
  } finally {
    progress.stop();
    removeCleanup();
  }
}

/** Returns real effects that send requests with `fetch`, for short work that shows no progress. */
export function effectsWithFetch(fetch: Effects["fetch"]): Effects {
  return {
    fetch,
    now: () => new Date(),
    sleep,
    random: Math.random,
    log: (event) => {
      if (!isLogged(event.level, leastLevel())) return;
      process.stderr.write(`${logLine(event, new Date(), process.stderr.isTTY === true)}\n`);
    },
    progress: () => {},
  };
}

function leastLevel(): string {
  return setting("SHARE_LOG_LEVEL") ?? "info";
}

export function clockEffects() {
  return { at: new Date().toISOString(), sleep };
}

/** Signals by which a user or a service manager ends a command. */
export const INTERRUPTIONS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export type Interruption = (typeof INTERRUPTIONS)[number];

/** Functions to call before the message about an interruption, for example to end the line of the progress bar. */
const cleanups = new Set<() => void>();

/** Registers a function to call at an interruption. Returns a function that removes it. */
export function onInterruption(cleanup: () => void): () => void {
  cleanups.add(cleanup);
  return () => void cleanups.delete(cleanup);
}

/**
 * Handles signals such as Ctrl-C: prints the text of `advice`, and ends this process by the same signal. Does not wait
 * for running work, because every command can be killed at any time. Returns a function that stops the handling.
 */
export function watchInterruptions(advice: () => string): () => void {
  const end = (signal: Interruption) => {
    for (const cleanup of cleanups) cleanup();
    process.stderr.write(`share-release: stopped by ${signal}; ${advice()}\n`);
    // The handler is only removed now. Old versions of Node deliver the signal twice, and the second signal would end
    // the process before the text is printed.
    stop();
    process.kill(process.pid, signal);
  };
  const stop = () => {
    for (const signal of INTERRUPTIONS) process.off(signal, end);
  };
  for (const signal of INTERRUPTIONS) process.on(signal, end);
  return stop;
}

const READ_ONLY = "nothing was changed; run the same command again";
const ATOMIC = "the change was made completely or not at all; check which, before you run the command again";

/**
 * Texts to print after an interruption. A key is the full name of a command, or only its first word. `{store}` stands
 * for the path of the store.
 */
export const INTERRUPTION_TEXTS: Readonly<Record<string, string>> = {
  harvest: "the records so far are in {store}/raw; the same command continues from there",
  build:
    "the active release is unchanged, and finished stages are in {store}/work; the same command continues after them",
  run: "the active release is unchanged or already the new one; finished steps are in {store}; the next run continues after them",
  serve: "the server had not started; run the same command again",
  score: READ_ONLY,
  fix: "every written file is complete or as it was before; run the same command again",
  release: READ_ONLY,
  "release activate": ATOMIC,
  "release rollback": ATOMIC,
  "release retract": ATOMIC,
  "release prune": "some releases are removed and the others are complete; the same command removes the rest",
  "release publish":
    "files sent so far stay at the target, and no incomplete release is visible there; the same command sends the rest",
  "release fetch": "the files so far are in {store}/incoming; the same command continues from there",
  init: "some files may be written: remove the folder, and run the command again",
  key: ATOMIC,
  "key new": "a private key may exist without its public key: remove it, and run the command again",
  account: ATOMIC,
  "account list": READ_ONLY,
  "account log": READ_ONLY,
  "account hide":
    "the active release is unchanged or already the new one; the same command continues, and removes the other releases",
  source: READ_ONLY,
  "source new": "some files may be written: remove them, and run the command again",
  doctor: READ_ONLY,
  completion: READ_ONLY,
  fixtures:
    "complete parts stay in {store}/raw; the same command writes all parts again, and a build counts each record once",
};

/** Returns the text to print after an interruption. `names` are the words of the command. */
export function interruptionText(names: readonly string[], store: string): string {
  const words = INTERRUPTION_TEXTS[names.join(" ")] ?? INTERRUPTION_TEXTS[names[0] ?? ""] ?? ATOMIC;
  return words.replaceAll("{store}", store);
}
