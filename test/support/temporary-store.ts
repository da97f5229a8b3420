/** A store in a folder of its own, gone at the end of the block that took it. */

import { cp, link, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "../../pipeline/store/store.ts";

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

/**
 * As a copy of `original`, or of these parts of it, but its files are the original's own under another name: much
 * quicker, and right only where nobody writes into a file that is there. The pipeline replaces files, and appends only
 * to lists of lines, which are copied.
 */
export async function linkedStore(original: Store, parts?: readonly string[]): Promise<TemporaryStore> {
  const linked = await temporaryStore();
  await linkFolder(original.root, linked.store.root, parts);
  return linked;
}

async function linkFolder(from: string, to: string, only?: readonly string[]): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (only?.includes(entry.name) === false) continue;
    const [here, there] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkFolder(here, there);
    else if (entry.isSymbolicLink() || here.endsWith(".ndjson"))
      await cp(here, there, { verbatimSymlinks: true, preserveTimestamps: true });
    else await link(here, there);
  }
}
