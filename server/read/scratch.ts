/**
 * A folder for temporary files of a server: in the store's `queries/`, or in the system's temporary folder if the store
 * is read-only or full. A file that is updated regularly marks a folder that is in use.
 */

import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ABANDONED_MILLISECONDS, lastSign, SIGN_OF_LIFE } from "../../pipeline/store/signs-of-life.ts";
import type { Store } from "../../pipeline/store/store.ts";

const BEAT_MILLISECONDS = 10_000;

/**
 * Error codes of a store that is read-only or full. `mkdir` with `recursive` reports ENOENT in a read-only store if several
 * folders are missing.
 */
const UNWRITABLE = ["EROFS", "EACCES", "EPERM", "ENOENT", "ENOSPC", "EDQUOT"];

export interface Scratch {
  readonly folder: string;
  /** Folder for data that does not fit into the engine's memory. */
  readonly spill: string;
  /** False if the store is read-only or full. The folder is then outside the store, and nobody removes it after a crash. */
  readonly isInStore: boolean;
  remove(): Promise<void>;
}

/** Makes a new folder. Removes the folders of killed servers, at once and regularly while the new folder is in use. */
export async function makeScratch(store: Store): Promise<Scratch> {
  const folder = store.queries(randomUUID());
  try {
    await beat(folder);
    await sweep(store, folder);
    return scratchIn(folder, { isInStore: true, sweepOthers: () => sweep(store, folder) });
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    // On a full disk, the folder may exist without the file in it.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
    const elsewhere = await mkdtemp(join(tmpdir(), "share-queries-"));
    await beat(elsewhere);
    return scratchIn(elsewhere, { isInStore: false, sweepOthers: async () => {} });
  }
}

function scratchIn(
  folder: string,
  { isInStore, sweepOthers }: { isInStore: boolean; sweepOthers: () => Promise<void> },
): Scratch {
  let beating: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // A failed write, as on a full disk, is repeated at the next interval.
    beating = beat(folder)
      .then(sweepOthers)
      .catch(() => {});
  }, BEAT_MILLISECONDS).unref();
  return {
    folder,
    spill: getSpillFolder(folder),
    isInStore,
    async remove() {
      clearInterval(timer);
      await beating;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function getSpillFolder(folder: string): string {
  return join(folder, "spill");
}

/**
 * Updates the file that marks the folder as in use. Restores the folder if another server removed it while this server
 * paused.
 */
async function beat(folder: string): Promise<void> {
  await mkdir(getSpillFolder(folder), { recursive: true });
  await writeFile(join(folder, SIGN_OF_LIFE), "in use\n");
}

/**
 * Removes abandoned folders. Compares only times of the same file system, so it does not matter if the clocks of
 * machines differ.
 */
async function sweep(store: Store, own: string): Promise<void> {
  const now = await lastSign(own);
  for (const run of await readdir(store.queries(""))) {
    const folder = store.queries(run);
    if (now - (await lastSign(folder)) < ABANDONED_MILLISECONDS) continue;
    await rm(folder, { recursive: true, force: true });
  }
}

function isUnwritable(error: unknown): boolean {
  return error instanceof Error && "code" in error && UNWRITABLE.includes(String(error.code));
}
