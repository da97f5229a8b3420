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
  const active = await currentDigest(store);
  const receipt = active === null ? null : await readReceipt(store.release(active));
  // What the active one left behind was left on purpose, and is none now.
  const left = new Set(
    receipt?.sources.filter(({ carriedFrom }) => carriedFrom !== undefined).map(({ source }) => source),
  );
  const wanted = Object.entries(parts).filter(([source]) => !left.has(source));
  if (wanted.every(([, count]) => count === 0)) return false;
  const { entries } = await readJournal(store);
  const activated = entries.filter(({ event }) => event === "activated").map(({ releaseDigest }) => releaseDigest);
  for (const digest of new Set([...(active === null ? [] : [active]), ...activated.reverse()])) {
    const made = await readReceipt(store.release(digest));
    if (made !== null && wanted.every(([source, count]) => count === partsIn(made, source))) return false;
  }
  return true;
}

/** Parts are only ever added, so that their number says which they were; one that was carried forward has another's. */
function partsIn({ sources }: Receipt, source: string): number | null {
  const entry = sources.find((each) => each.source === source);
  return entry === undefined ? 0 : entry.carriedFrom === undefined ? entry.parts : null;
}

/** How many finished parts each source has. */
export async function partsOf(store: Store, sources: readonly string[]): Promise<Record<string, number>> {
  const counts = sources.map(async (source) => [source, (await listParts(store.raw(source))).length] as const);
  return Object.fromEntries(await Promise.all(counts));
}
