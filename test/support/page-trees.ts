/** Trees of page files in a store, as `publish --pages --to` creates them for static hosts. */

import { readReceipt } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { makeTree } from "../../releases/publish/page-tree.ts";
import { recordedEffects } from "./effects.ts";

/** Creates the trees of the releases with these digests. */
export async function makeTrees(store: Store, ...digests: readonly string[]): Promise<void> {
  for (const digest of digests) {
    const folder = store.release(digest);
    const receipt = await readReceipt(folder);
    if (receipt === null) throw new Error(`there is no release ${digest}`);
    const options = { parallel: 8, dryRun: false, researchers: false, scratch: "", effects: recordedEffects() };
    await makeTree(store, { folder, receipt }, [receipt.previousReleaseDigest], options, {});
  }
}
