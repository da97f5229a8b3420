/** Activations, rollbacks and prunes that are killed: what must hold at every moment, and after the next command. */

import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import { readJournal } from "../../pipeline/store/journal.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { releaseLog } from "../../releases/log.ts";
import { runCommand, startCommand } from "../support/command-line.ts";
import { currentOf } from "../support/watched-build.ts";

/** Milliseconds a command takes from its start to its end, for choosing moments. */
export async function durationOf(store: Store, command: readonly string[]): Promise<number> {
  const started = performance.now();
  const { exitCode, stderr } = await runCommand([...command, "--store", store.root]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return performance.now() - started;
}

/** Kills a command after so long. Answers whether it was killed. */
export function killAfter(store: Store, command: readonly string[], milliseconds: number): Promise<boolean> {
  const started = performance.now();
  return killWhen(store, command, () => performance.now() - started >= milliseconds);
}

/**
 * Kills a command as soon as something is so, unless it ends before; whatever `current` led to meanwhile was a whole
 * release. Answers whether it was killed.
 */
export async function killWhen(store: Store, command: readonly string[], isSo: () => boolean): Promise<boolean> {
  const child = startCommand([...command, "--store", store.root]);
  child.stdout?.resume();
  child.stderr?.resume();
  const closed = once(child, "close");
  let running = true;
  const seen = new Set<string>();
  const killing = (async () => {
    for (; running && !isSo(); await wait(0));
    child.kill("SIGKILL");
  })();
  const looking = (async () => {
    for (; running; await wait(2)) seen.add(await currentOf(store));
  })();
  await closed;
  running = false;
  await Promise.all([looking, killing]);
  expect([...seen].filter((current) => !current.startsWith("sha256:"))).toEqual([]);
  return child.signalCode === "SIGKILL";
}

/** The next commands do as they are told; afterwards nothing is left behind, and chain and journal hold. */
export async function expectMended(store: Store, digests: readonly string[]): Promise<void> {
  const active = await currentDigest(store);
  const other = digests.find((digest) => digest !== active);
  // A prune may have left the active one alone.
  if (other !== undefined) {
    await durationOf(store, ["release", "activate", other]);
    expect(await currentDigest(store)).toBe(other);
    await durationOf(store, ["release", "rollback"]);
  }
  expect(await currentDigest(store)).toBe(active);
  await durationOf(store, ["release", "prune", "--keep", "100"]);
  const names = await readdir(store.releases);
  expect(names.filter((name) => !/^sha256-[0-9a-f]{64}$/.test(name))).toEqual([]);
  const own = ["current", "journal.ndjson", "pruned", "raw", "releases"];
  expect((await readdir(store.root)).filter((name) => !own.includes(name))).toEqual([]);
  const { damaged, torn } = await readJournal(store);
  expect({ damaged, torn }).toEqual({ damaged: [], torn: 0 });
  const { chain } = await releaseLog(store, active ?? "", null);
  expect(chain.flatMap(({ faults }) => faults)).toEqual([]);
}
