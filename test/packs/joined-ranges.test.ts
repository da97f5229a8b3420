/** Tests how ranges of pages are joined for a small number of workers: they cover every page once. */

import { describe, expect, test } from "vitest";
import { joinedRanges, listRanges, SPLITS } from "../../pipeline/packs/format.ts";

/**
 * All first two hexadecimal digits of keys. Ranges never divide keys more finely, and "g" stands for the end of the last range.
 */
const PLACES = Array.from({ length: 256 }, (_, place) => place.toString(16).padStart(2, "0"));

const COUNTS = [1, 2, 3, 4, 5, 7, 15, 16, 17, 32, 63, 64, 65, 100];

const CASES = SPLITS.flatMap((split) => COUNTS.map((count) => ({ split, count })));

describe.each(CASES)("$split ranges for $count workers", ({ split, count }) => {
  const ranges = listRanges(split);
  const joined = joinedRanges(ranges, count);

  test("joined ranges cover each page exactly once", () => {
    const owners = PLACES.map((place) => joined.filter(({ from, to }) => place >= from && place < to).length);
    expect(owners).toEqual(PLACES.map(() => 1));
  });

  test("joined ranges are as many as the workers if possible, and of similar size", () => {
    expect(joined).toHaveLength(Math.min(split, count));
    const sizes = joined.map(({ from, to }) => ranges.filter((range) => range.from >= from && range.to <= to).length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(split);
  });
});

test("a joined range has the name of its first range", () => {
  expect(joinedRanges(listRanges(16), 3)).toEqual([
    { name: ".0", from: "0", to: "5" },
    { name: ".5", from: "5", to: "a" },
    { name: ".a", from: "a", to: "g" },
  ]);
});
