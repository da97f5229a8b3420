/** A store in a folder of its own, gone at the end of the block that took it. */

import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "../../pipeline/store.ts";

export interface TemporaryStore extends AsyncDisposable {
  readonly store: Store;
  /** Folder beside the store, for input files. */
  readonly folder: string;
}

/** An empty store, or a copy of `original` with all it holds. */
export async function temporaryStore(original?: Store): Promise<TemporaryStore> {
  const folder = await mkdtemp(join(tmpdir(), "share-store-"));
  const root = join(folder, "store");
  if (original !== undefined) await cp(original.root, root, { recursive: true, verbatimSymlinks: true });
  return {
    folder,
    store: openStore(root),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
