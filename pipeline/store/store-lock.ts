/** The locks of a store: one build at a time, and one change of its links at a time; both outlive a crash. */

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Effects } from "../stage/effects.ts";
import { holderRuns, lockFolder, lockHolder, StoreLocked } from "./folder-lock.ts";
import type { Store } from "./store.ts";

/** Another build of this store is running. */
export class BuildRunning extends Error {
  readonly code = "ERR_BUILD_RUNNING";
  constructor(store: Store, what: string, cause: StoreLocked) {
    super(`${what} must wait: a build, or a clean-up, is at work in ${store.root}. ${cause.message}`, { cause });
    this.name = "BuildRunning";
  }
}

/**
 * Takes the lock of the whole store; answers the function that gives it back. Reading, serving, harvesting and
 * activating go on beside it.
 * @throws BuildRunning
 */
export async function lockStore(store: Store, what: string): Promise<() => Promise<void>> {
  return lockAndSweep(store.root).catch((error: unknown) => {
    throw error instanceof StoreLocked ? new BuildRunning(store, what, error) : error;
  });
}

/** A change of links takes milliseconds: after so many waits somebody is stuck. */
const TRIES = 100;
const WAIT_MILLISECONDS = 20;

/** Runs `work` while no other process changes links, the journal or the list of releases of this store. */
export async function changingLinks<T>(
  store: Store,
  sleep: Effects["sleep"] | null,
  work: () => Promise<T>,
): Promise<T> {
  const unlock = await patiently(store, sleep);
  try {
    return await work();
  } finally {
    await unlock();
  }
}

async function patiently(store: Store, sleep: Effects["sleep"] | null): Promise<() => Promise<void>> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await lockAndSweep(store.releases);
    } catch (error) {
      if (!(error instanceof StoreLocked) || sleep === null || left === 0) throw error;
      await sleep(WAIT_MILLISECONDS);
    }
  }
}

async function lockAndSweep(folder: string): Promise<() => Promise<void>> {
  const unlock = await lockFolder(folder);
  await sweepAsides(folder);
  return unlock;
}

/** As pipeline/store/folder-lock.ts calls dead locks that it moves out of the way. */
const ASIDE = /^lock\.[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Locks of dead processes, moved aside by one that was killed before it could remove them. */
async function sweepAsides(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => ASIDE.test(each))) {
    const holder = await lockHolder(join(folder, name));
    if (holder === null || !(await holderRuns(holder))) await rm(join(folder, name), { recursive: true, force: true });
  }
}
