/** Whether there is anything to build: payloads that the active release was not made of. */

import { listParts } from "../../pipeline/store/raw/parts.ts";
import { currentDigest, readReceipt } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";

/** Parts are only ever added, so that their number says it; a source that was carried forward was left behind on purpose. */
export async function hasNews(store: Store, sources: readonly string[]): Promise<boolean> {
  const digest = await currentDigest(store);
  const active = digest === null ? null : await readReceipt(store.release(digest));
  for (const source of sources) {
    const then = active?.sources.find((entry) => entry.source === source);
    if (then?.carriedFrom != null) continue;
    if ((await listParts(store.raw(source))).length !== (then?.parts ?? 0)) return true;
  }
  return false;
}
