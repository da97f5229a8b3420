/** Kills activations, rollbacks and prunes, and checks conditions that must hold at every moment and after the next command. */

import { readdir } from "node:fs/promises";
import { expect } from "vitest";
import { readJournal } from "../../pipeline/store/journal.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { releaseLog } from "../../releases/log.ts";
import { runCommand, startCommand } from "../support/command-line.ts";
import { killWhen } from "../support/killing.ts";
import { describeCurrent } from "../support/watched-build.ts";

/** Runs a command to its end, and returns how many milliseconds it took, so that tests can choose moments for a kill. */
export async function measureDuration(store: Store, command: readonly string[]): Promise<number> {
  const started = performance.now();
  const { exitCode, stderr } = await runCommand([...command, "--store", store.root]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return performance.now() - started;
}

/**
 * Kills a command as soon as `isDue` returns true for the milliseconds since its start, unless the command ends before. Checks
 * that `current` always names a complete release. Returns whether the command was killed.
 */
export async function killCommand(
  store: Store,
  command: readonly string[],
  isDue: (elapsed: number) => boolean,
): Promise<boolean> {
  const child = startCommand([...command, "--store", store.root]);
  child.stdout?.resume();
  child.stderr?.resume();
  const seen = new Set<string>();
  const wasKilled = await killWhen(child, isDue, async () => void seen.add(await describeCurrent(store)));
  expect([...seen].filter((current) => !current.startsWith("sha256:"))).toEqual([]);
  return wasKilled;
}

/** Expects that the next commands succeed and leave nothing behind, and that the chain and the journal are valid. */
export async function expectMended(store: Store, digests: readonly string[]): Promise<void> {
  const active = await currentDigest(store);
  const other = digests.find((digest) => digest !== active);
  // There is no other release if a prune has removed all but the active one.
  if (other !== undefined) {
    await measureDuration(store, ["release", "activate", other]);
    expect(await currentDigest(store)).toBe(other);
    await measureDuration(store, ["release", "rollback"]);
  }
  expect(await currentDigest(store)).toBe(active);
  await measureDuration(store, ["release", "prune", "--keep", "100"]);
  const names = await readdir(store.releases);
  expect(names.filter((name) => !/^sha256-[0-9a-f]{64}$/.test(name))).toEqual([]);
  const own = ["current", "journal.ndjson", "pruned", "raw", "releases"];
  expect((await readdir(store.root)).filter((name) => !own.includes(name))).toEqual([]);
  const { damaged, torn } = await readJournal(store);
  expect({ damaged, torn }).toEqual({ damaged: [], torn: 0 });
  const { chain } = await releaseLog(store, active ?? "", null);
  expect(chain.flatMap(({ faults }) => faults)).toEqual([]);
}
