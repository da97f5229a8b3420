/** work/: what finished, failed and abandoned builds leave there, and its removal. */

import { readdir, rename, rm } from "node:fs/promises";
import { lockFolder, StoreLocked } from "./folder-lock.ts";
import type { Store } from "./store.ts";

/**
 * Removes the folders of work/ that nobody is at work in, but for those to keep; answers their names. Needs no room.
 * `dryRun` removes nothing.
 */
export async function removeWork(
  store: Store,
  { keep = () => false, dryRun = false }: { keep?: (name: string) => boolean; dryRun?: boolean } = {},
): Promise<string[]> {
  const removed: string[] = [];
  for (const name of (await namesIn(store.work(""))).filter((each) => !keep(each)).sort()) {
    const unlock = await lockFolder(store.work(name)).catch((error: unknown) => {
      if (!(error instanceof StoreLocked)) throw error;
      return null;
    });
    if (unlock === null) continue;
    if (!dryRun) await removeWhole(store.work(name));
    await unlock();
    removed.push(name);
  }
  const work = store.work("");
  if (removed.length > 0 && (await namesIn(work)).length === 0) await rm(work, { recursive: true, force: true });
  return removed;
}

/** Under another name first: a kill half-way must not leave a folder whose manifests promise what is gone. */
async function removeWhole(folder: string): Promise<void> {
  const aside = folder.endsWith(REMOVED) ? folder : `${folder}${REMOVED}`;
  if (aside !== folder) {
    await rm(aside, { recursive: true, force: true });
    await rename(folder, aside);
  }
  await rm(aside, { recursive: true, force: true });
}

/** Ends the name of a work folder on its way out; no run is called that. */
const REMOVED = ".removed";

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  });
}
