/** The release of the bundled corpus with every default: built by the first suite that asks, read by all. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import { type Receipt, receipt as receiptSchema } from "../../schemas/public/release.ts";
import { buildRelease } from "./build-release.ts";
import { harvestBundled } from "./bundled-corpus.ts";
import { madeOnce } from "./shared-run.ts";

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
  const { folder, [Symbol.asyncDispose]: dispose } = await madeOnce("bundled", fill);
  const store = openStore(join(folder, STORE));
  const receipt = receiptSchema.parse(JSON.parse(await readFile(join(folder, RECEIPT), "utf8")));
  return { store, receipt, folder: store.release(receipt.releaseDigest), [Symbol.asyncDispose]: dispose };
}

/** The receipt lies beside the store as the build gave it, so that the one in the release can be held against it. */
async function fill(folder: string): Promise<void> {
  const store = openStore(join(folder, STORE));
  await harvestBundled(store);
  const { receipt } = await buildRelease(store);
  await writeFile(join(folder, RECEIPT), JSON.stringify(receipt));
}
