/** Ranges of places joined to fewer: those who share work by ranges need not be as many as packs are. */

import type { PlaceRange } from "./pack-names.ts";

/** Neighbouring ranges as one, so that `count` are left at the most; every place is in just one of them, as it was before. */
export function joinedRanges(ranges: readonly PlaceRange[], count: number): readonly PlaceRange[] {
  const starts = Array.from({ length: count }, (_, place) => Math.floor((place * ranges.length) / count));
  return [...new Set(starts)].flatMap((start, place, all) => {
    const own = ranges.slice(start, all[place + 1]);
    const [first, last] = [own[0], own.at(-1)];
    return first === undefined || last === undefined ? [] : [{ name: first.name, from: first.from, to: last.to }];
  });
}
