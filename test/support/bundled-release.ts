/** The release of the bundled corpus with every default: built by the first suite that asks, read by all. */

import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openStore, type Store } from "../../pipeline/store.ts";
import { type Receipt, receipt as receiptSchema } from "../../schemas/release.ts";
import { buildRelease } from "./build-release.ts";
import { harvestBundled } from "./bundled-corpus.ts";
import { sharedFolder } from "./shared-run.ts";
import { temporaryStore } from "./temporary-store.ts";

const STORE = "store";
const RECEIPT = "receipt.json";

export interface BundledRelease extends AsyncDisposable {
  /** Raw payloads, the release, active, and the stage outputs in work/. Others read it too: write into copies only. */
  readonly store: Store;
  /** As the build gave it. */
  readonly receipt: Receipt;
  /** The release's folder. */
  readonly folder: string;
}

/** Gives the run's release, or one of its own where there is no run. */
export async function bundledRelease(): Promise<BundledRelease> {
  const shared = sharedFolder();
  if (shared !== null) return opened(await sharedFill(shared), () => Promise.resolve());
  const bench = await temporaryStore();
  await fill(bench.folder);
  return opened(bench.folder, () => bench[Symbol.asyncDispose]());
}

/** Whoever makes the folder `making` builds; the others wait until the result has its name, or the folder is gone. */
async function sharedFill(shared: string): Promise<string> {
  const [ready, making] = [join(shared, "bundled"), join(shared, "bundled.making")];
  while (!existsSync(ready)) {
    if (!(await isMade(making))) {
      await wait(50);
      continue;
    }
    try {
      // Between the look and the making, another may have finished.
      if (existsSync(ready)) break;
      const filled = join(making, "bundled");
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

/** The receipt lies beside the store as the build gave it, so that the one in the release can be held against it. */
async function fill(folder: string): Promise<void> {
  const store = openStore(join(folder, STORE));
  await harvestBundled(store);
  const { receipt } = await buildRelease(store);
  await writeFile(join(folder, RECEIPT), JSON.stringify(receipt));
}

async function opened(filled: string, dispose: () => PromiseLike<void>): Promise<BundledRelease> {
  const store = openStore(join(filled, STORE));
  const receipt = receiptSchema.parse(JSON.parse(await readFile(join(filled, RECEIPT), "utf8")));
  return { store, receipt, folder: store.release(receipt.releaseDigest), [Symbol.asyncDispose]: dispose };
}
