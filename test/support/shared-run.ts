/** A folder that all suites of one run share: it is there before the first of them, and gone after the last. */

import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** The environment's name for the folder; the processes that suites start find it there too. */
const NAME = "SHARE_TEST_RUN";

/** A folder with what was asked for, to be read; whoever asked says when he is done. */
export interface MadeOnce extends AsyncDisposable {
  readonly folder: string;
}

/** What `fill` makes of a folder, made by the first suite that asks for this name; one of its own outside of a run. */
export async function madeOnce(name: string, fill: (folder: string) => Promise<void>): Promise<MadeOnce> {
  const shared = process.env[NAME];
  if (shared !== undefined) {
    return { folder: await sharedFill(shared, name, fill), [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const folder = await mkdtemp(join(tmpdir(), `share-${name}-`));
  await fill(folder);
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Whoever makes the folder `making` fills it; the others wait until the result has its name, or the folder is gone. */
async function sharedFill(shared: string, name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const [ready, making] = [join(shared, name), join(shared, `${name}.making`)];
  while (!existsSync(ready)) {
    if (!(await isMade(making))) {
      await wait(50);
      continue;
    }
    try {
      // Between the look and the making, another may have finished.
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

/** Called by vitest once a run, in the process that starts the suites. */
export default async function setUp(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "share-run-"));
  process.env[NAME] = folder;
  return async () => {
    delete process.env[NAME];
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}
