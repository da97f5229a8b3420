/** A folder shared by all suites of one run: it is created before the first of them, and removed after the last. */

import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** The environment variable with the folder, which the processes of suites inherit. */
const NAME = "SHARE_TEST_RUN";

/** A folder that suites share and only read. Each suite disposes of its handle when the suite is done. */
export interface MadeOnce extends AsyncDisposable {
  readonly folder: string;
}

/**
 * Returns a folder that the first suite with this `name` fills, and that all suites of a run share. Without a run, fills a new
 * one.
 */
export async function madeOnce(name: string, fill: (folder: string) => Promise<void>): Promise<MadeOnce> {
  const shared = process.env[NAME];
  if (shared !== undefined) {
    return { folder: await sharedFill(shared, name, fill), [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const folder = await mkdtemp(join(tmpdir(), `share-${name}-`));
  await fill(folder);
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

/**
 * Lets one process fill the folder, which is the process that creates the folder `making`. The other processes wait until the
 * filled folder has its final name, or until `making` is removed after a failure.
 */
async function sharedFill(shared: string, name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const [ready, making] = [join(shared, name), join(shared, `${name}.making`)];
  while (!existsSync(ready)) {
    if (!(await isMade(making))) {
      await wait(50);
      continue;
    }
    try {
      // Another process may have finished between the check and the creation.
      if (existsSync(ready)) break;
      const filled = join(making, name);
      await mkdir(filled);
      await fill(filled);
      await rename(filled, ready);
    } finally {
      await rm(making, { recursive: true, force: true });
    }
  }
  return ready;
}

async function isMade(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Creates the folder, and returns a function that removes it. Vitest calls this once for each run. */
export default async function setUp(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "share-run-"));
  process.env[NAME] = folder;
  return async () => {
    delete process.env[NAME];
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}
