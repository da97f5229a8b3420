/**
 * Tests that a harvest that is killed once and resumed has the results of an uninterrupted one. test/soak kills thirty times.
 */

import { beforeAll, describe, expect, test } from "vitest";
import { harvestKilled, type Left, LONG } from "./killed-harvest.ts";

describe.each(LONG)("a harvest of $source", (long) => {
  let whole: Left;

  beforeAll(async () => {
    const { left, ...rest } = await harvestKilled(long, []);
    expect(rest).toMatchObject({ complete: true, requests: long.requests });
    whole = left;
  });

  test.each([0.05, 0.5, 0.95])(
    "a harvest that is killed after %f of its requests has the same results once it is resumed",
    async (share) => {
      const { kills, complete, left } = await harvestKilled(long, [Math.ceil(share * long.requests)]);
      expect(kills).toBe(1);
      expect(complete).toBe(true);
      expect(left).toEqual(whole);
    },
  );
});
