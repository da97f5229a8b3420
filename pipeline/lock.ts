/** The locks of a store: one build at a time, and one change of its links at a time; both outlive a crash. */

import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Effects } from "./effects.ts";
import { lockFolder, StoreLocked } from "./raw/lock.ts";
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

/** A draft of a lock that was swept by another process, because it had nothing in it yet, is written again. */
async function lockAndSweep(folder: string): Promise<() => Promise<void>> {
  const unlock = await lockFolder(folder).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return lockFolder(folder);
    throw error;
  });
  await sweepDrafts(folder);
  return unlock;
}

const DRAFT = /^lock\.[0-9a-f]{8}-[0-9a-f-]{27}$/;
const drafted = z.object({ pid: z.int().positive() });

/** Drafts of locks whose process was killed before it could take them. */
async function sweepDrafts(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => DRAFT.test(each))) {
    const path = join(folder, name);
    const text = await readFile(path, "utf8").catch(() => "");
    const draft = drafted.safeParse(jsonOf(text));
    if (!draft.success || !isRunning(draft.data.pid)) await rm(path, { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}
