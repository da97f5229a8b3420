/**
 * A folder for the tables of an open release: below the store's `queries/`, else in the system's temporary folder.
 * Several servers may share a store without seeing each other's processes (containers on one volume), so that a sign of
 * life on the disk tells whose folder is in use, and no process id does.
 */

import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMissing } from "../../pipeline/files/durable.ts";
import type { Store } from "../../pipeline/store/store.ts";

/** Written again and again as long as the folder is used. */
export const SIGN_OF_LIFE = "alive";

const BEAT_MILLISECONDS = 10_000;

/** Sixty beats: longer than a machine stands still that comes back. */
export const ABANDONED_MILLISECONDS = 600_000;

/** What a store that cannot be written to answers. */
const UNWRITABLE = ["EROFS", "EACCES", "EPERM"];

export interface Scratch {
  readonly folder: string;
  /** Where the engine puts what does not fit in its memory; it is there. */
  readonly spill: string;
  /** Removes the folder and what is in it. */
  remove(): Promise<void>;
}

/** Makes a folder of its own. Whatever killed servers left beside it is removed, now and as long as it is used. */
export async function makeScratch(store: Store): Promise<Scratch> {
  const folder = store.queries(randomUUID());
  try {
    await beat(folder);
    await sweep(store, folder);
    return scratchIn(folder, () => sweep(store, folder));
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    const elsewhere = await mkdtemp(join(tmpdir(), "share-queries-"));
    await beat(elsewhere);
    return scratchIn(elsewhere, async () => {});
  }
}

function scratchIn(folder: string, sweepOthers: () => Promise<void>): Scratch {
  let beating: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // A beat that fails, on a disk that is full or gone for a while, is followed by the next.
    beating = beat(folder)
      .then(sweepOthers)
      .catch(() => {});
  }, BEAT_MILLISECONDS).unref();
  return {
    folder,
    spill: spillOf(folder),
    async remove() {
      clearInterval(timer);
      await beating;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function spillOf(folder: string): string {
  return join(folder, "spill");
}

/** Also puts back what was removed while this process stood still. */
async function beat(folder: string): Promise<void> {
  await mkdir(spillOf(folder), { recursive: true });
  await writeFile(join(folder, SIGN_OF_LIFE), "in use\n");
}

/** Ages are differences of times that the disk gave: the clocks of its users do not matter. */
async function sweep(store: Store, own: string): Promise<void> {
  const now = await lastSign(own);
  for (const run of await readdir(store.queries(""))) {
    const folder = store.queries(run);
    if (now - (await lastSign(folder)) < ABANDONED_MILLISECONDS) continue;
    await rm(folder, { recursive: true, force: true });
  }
}

/** Of a folder that has none yet, when it was made; of one that has just gone, never to be swept. */
async function lastSign(folder: string): Promise<number> {
  const times = await Promise.all([folder, join(folder, SIGN_OF_LIFE)].map(timeOf));
  return Math.max(...times) > 0 ? Math.max(...times) : Number.POSITIVE_INFINITY;
}

async function timeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

function isUnwritable(error: unknown): boolean {
  return error instanceof Error && "code" in error && UNWRITABLE.includes(String(error.code));
}
