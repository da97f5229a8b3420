/** Whether there is anything to build: payloads that the active release, or the run under way, was not made of. */

import { listParts } from "../../pipeline/store/raw/parts.ts";
import { currentDigest, readReceipt } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";

/** Parts are only ever added, so that their number says it; a source that was carried forward was left behind on purpose. */
export async function hasNews(store: Store, parts: Readonly<Record<string, number>>): Promise<boolean> {
  const digest = await currentDigest(store);
  const active = digest === null ? null : await readReceipt(store.release(digest));
  return Object.entries(parts).some(([source, count]) => {
    const then = active?.sources.find((entry) => entry.source === source);
    return then?.carriedFrom == null && count !== (then?.parts ?? 0);
  });
}

/** How many finished parts each source has. */
export async function partsOf(store: Store, sources: readonly string[]): Promise<Record<string, number>> {
  const counts = sources.map(async (source) => [source, (await listParts(store.raw(source))).length] as const);
  return Object.fromEntries(await Promise.all(counts));
}
