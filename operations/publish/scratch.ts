/** work/publish-<target>: what a publication keeps on disk while it runs; its lock keeps a second one off the same target. */

import { hash } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { lockFolder, StoreLocked } from "../../pipeline/store/folder-lock.ts";
import type { StoreChange } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { changingLinks } from "../../pipeline/store/store-lock.ts";

export interface Scratch {
  readonly folder: string;
  /** Removes it. */
  end(): Promise<void>;
}

/** Takes an empty scratch folder, and removes those that killed publications left. */
export async function takeScratch(store: Store, target: string, change: StoreChange): Promise<Scratch> {
  const root = store.work(`publish-${hash("sha256", target).slice(0, 16)}`);
  const alone = <T>(work: () => Promise<T>) => changingLinks(store, change.sleep ?? null, work);
  const unlock = await alone(async () => {
    await sweep(store);
    return lockFolder(root);
  });
  const folder = join(root, "scratch");
  await mkdir(folder);
  const end = async () => {
    // The lock goes with the folder; nobody takes it in between.
    await rm(root, { recursive: true, force: true });
    await unlock();
  };
  return { folder, end: () => alone(end) };
}

/** Scratch, and holds on releases, of processes that are gone; what a build goes on with stays. */
async function sweep(store: Store): Promise<void> {
  for (const name of await readdir(store.work("")).catch(() => [])) {
    if (!/^(?:publish|hold)-/.test(name)) continue;
    const folder = store.work(name);
    const unlock = await lockFolder(folder).catch((error: unknown) => {
      if (error instanceof StoreLocked) return null;
      throw error;
    });
    if (unlock === null) continue;
    await rm(folder, { recursive: true, force: true });
    await unlock();
  }
}
