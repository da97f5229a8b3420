/** When sources are due: once the last complete walk of their service began as long ago as their interval says. */

import { CheckpointUnreadable } from "../../pipeline/1-harvest/errors.ts";
import { NO_PROGRESS, type Progress, readProgress } from "../../pipeline/1-harvest/session.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import type { Store } from "../../pipeline/store/store.ts";

/** How a source stands with its own service; other doors to it are another matter. */
export interface Standing {
  readonly source: string;
  /** When its last complete walk began; null where there was none. */
  readonly last: string | null;
  /** What the walk under way was asked for, which only the same question goes on with; null where none is. */
  readonly underWay: { readonly asked: string | null } | null;
  readonly due: boolean;
}

/** `every`: milliseconds from the beginning of one walk to that of the next. */
export async function standingOf(store: Store, source: Source, every: number, now: Date): Promise<Standing> {
  const { last: complete, http } = await progressOf(store.raw(source.name));
  const last = complete[source.walk.base]?.started ?? null;
  const underWay =
    http !== null && http.base === source.walk.base && http.limit === null ? { asked: http.asked } : null;
  // A clock that was wrong, and said a day to come, holds up nobody for ever.
  const rested = last !== null && Math.abs(now.getTime() - Date.parse(last)) < every;
  return { source: source.name, last, underWay, due: underWay !== null || !rested };
}

/** Whether its service was ever asked for its list. */
export function wasWalked({ last, underWay }: Standing): boolean {
  return last !== null || underWay !== null;
}

/** Where the checkpoint cannot be read the harvest says so, and what to do. */
async function progressOf(folder: string): Promise<Progress> {
  const found = await readProgress(folder).catch((error: unknown) => {
    if (error instanceof CheckpointUnreadable) return null;
    throw error;
  });
  return found ?? NO_PROGRESS;
}
