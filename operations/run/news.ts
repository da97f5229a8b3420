/** Whether there is anything to build: payloads that no release that was active, nor the run under way, was made of. */

import { readJournal } from "../../pipeline/store/journal.ts";
import { listParts } from "../../pipeline/store/raw/parts.ts";
import { currentDigest, readReceipt } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { Receipt } from "../../schemas/public/release.ts";

/**
 * A release that was rolled back from counts as well: what it was made of was looked at, and somebody chose another. The
 * active one is asked first, and those that have gone since cannot be.
 */
export async function hasNews(store: Store, parts: Readonly<Record<string, number>>): Promise<boolean> {
  const { entries } = await readJournal(store);
  const activated = entries.filter(({ event }) => event === "activated").map(({ releaseDigest }) => releaseDigest);
  const active = await currentDigest(store);
  for (const digest of new Set([...(active === null ? [] : [active]), ...activated.reverse()])) {
    const receipt = await readReceipt(store.release(digest));
    if (receipt !== null && madeOf(receipt, parts)) return false;
  }
  return Object.values(parts).some((count) => count > 0);
}

/** Parts are only ever added, so that their number says it; a source that was carried forward was left behind on purpose. */
function madeOf({ sources }: Receipt, parts: Readonly<Record<string, number>>): boolean {
  return Object.entries(parts).every(([source, count]) => {
    const then = sources.find((entry) => entry.source === source);
    return then?.carriedFrom != null || count === (then?.parts ?? 0);
  });
}

/** How many finished parts each source has. */
export async function partsOf(store: Store, sources: readonly string[]): Promise<Record<string, number>> {
  const counts = sources.map(async (source) => [source, (await listParts(store.raw(source))).length] as const);
  return Object.fromEntries(await Promise.all(counts));
}
