/** A folder for the tables of an open release: below the store's `work/`, else in the system's temporary folder. */

import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { lockFolder } from "../../pipeline/raw/lock.ts";
import type { Store } from "../../pipeline/store.ts";
import { isMissing } from "../is-missing.ts";

const PREFIX = "queries-";

/** What a store that cannot be written to answers. */
const UNWRITABLE = ["EROFS", "EACCES", "EPERM"];

export interface Scratch {
  readonly folder: string;
  /** Removes the folder and what is in it. */
  remove(): Promise<void>;
}

/**
 * Makes a folder of its own. Below `work/` it is locked as long as it is used: whatever a killed server left there,
 * the next one or the next build removes.
 */
export async function makeScratch(store: Store): Promise<Scratch> {
  const run = `${PREFIX}${randomUUID()}`;
  try {
    const unlock = await lockFolder(store.work(run));
    return scratchOf(store.work(run), unlock);
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return scratchOf(await mkdtemp(join(tmpdir(), `share-${PREFIX}`)), async () => {});
  }
}

function scratchOf(folder: string, unlock: () => Promise<void>): Scratch {
  return {
    folder,
    async remove() {
      await unlock();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Removes what killed servers left below `work/`; folders in use stay. Nothing is said where that cannot be done. */
export async function sweepScratch(store: Store): Promise<void> {
  for (const run of await namesIn(dirname(store.work(PREFIX)))) {
    if (!run.startsWith(PREFIX)) continue;
    const unlock = await lockFolder(store.work(run)).catch(() => null);
    if (unlock !== null) await scratchOf(store.work(run), unlock).remove();
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isUnwritable(error: unknown): boolean {
  return error instanceof Error && "code" in error && UNWRITABLE.includes(String(error.code));
}
