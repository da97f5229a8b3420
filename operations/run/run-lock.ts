/** run/lock: one run a store at a time, from its first step to its last. */

import { lockFolder, StoreLocked } from "../../pipeline/store/folder-lock.ts";
import type { Store } from "../../pipeline/store/store.ts";

/** Another run of this store is at work. */
export class RunAtWork extends Error {
  readonly code = "ERR_RUN_AT_WORK";
  constructor(store: Store, cause: StoreLocked) {
    super(`another run is at work in ${store.root}. ${cause.message}`, { cause });
    this.name = "RunAtWork";
  }
}

/**
 * Takes it; answers the function that gives it back. The steps take their own locks beside it.
 * @throws RunAtWork, which names the process
 */
export async function lockRun(store: Store): Promise<() => Promise<void>> {
  return lockFolder(store.run).catch((error: unknown) => {
    throw error instanceof StoreLocked ? new RunAtWork(store, error) : error;
  });
}
