/** run/under-way.json: the run that has not come to its end, so that the next one goes on with it. */

import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { replaceFile } from "../../pipeline/files/durable.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { instant, isoDate } from "../../schemas/public/scalars.ts";

const underWay = z.strictObject({
  version: z.literal(1),
  started: instant,
  asOf: isoDate,
  /** The source that was being harvested: it is harvested again, however short a time ago that was before. */
  harvesting: z.string().nullable(),
  /** What was built, and the key of the inputs and options it was built of; null before. */
  release: z.strictObject({ key: z.string(), releaseDigest: z.string() }).nullable(),
});
export type UnderWay = z.infer<typeof underWay>;

/** Null where the last run came to its end, or what it left cannot be read: it is only ever a saving of time. */
export async function readUnderWay(store: Store): Promise<UnderWay | null> {
  const text = await readFile(pathIn(store), "utf8").catch(() => null);
  if (text === null) return null;
  try {
    return underWay.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

export async function writeUnderWay(store: Store, written: UnderWay): Promise<void> {
  await replaceFile(pathIn(store), `${JSON.stringify(written)}\n`);
}

export async function endUnderWay(store: Store): Promise<void> {
  await rm(pathIn(store), { force: true });
}

/**
 * The run to go on with, else a new one. An unfinished one keeps its day over midnight; one of the day before yesterday, or
 * of earlier, is begun again with today: what it harvested is there all the same.
 */
export function goingOn(found: UnderWay | null, now: Date): UnderWay {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const [today, yesterday] = [day(now.getTime()), day(now.getTime() - 86_400_000)];
  if (found !== null && (found.asOf === today || found.asOf === yesterday)) return found;
  return { version: 1, started: now.toISOString(), asOf: today, harvesting: null, release: null };
}

function pathIn(store: Store): string {
  return join(store.run, "under-way.json");
}
