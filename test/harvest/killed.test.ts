/** Harvests that are killed once and resumed have the results of an uninterrupted one. test/soak has thirty kills. */

import { beforeAll, describe, expect, test } from "vitest";
import { harvestKilled, type Left, LONG } from "./killed-harvest.ts";

describe.each(LONG)("$source", (long) => {
  let whole: Left;

  beforeAll(async () => {
    const { left, ...rest } = await harvestKilled(long, []);
    expect(rest).toMatchObject({ complete: true, requests: long.requests });
    whole = left;
  });

  test.each([0.05, 0.5, 0.95])(
    "a harvest killed after the share %f of its requests gives the same results when resumed",
    async (share) => {
      const { kills, complete, left } = await harvestKilled(long, [Math.ceil(share * long.requests)]);
      expect(kills).toBe(1);
      expect(complete).toBe(true);
      expect(left).toEqual(whole);
    },
  );
});
