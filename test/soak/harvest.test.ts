/** Harvests are killed at thirty random moments, some of them three times, and no record is lost or duplicated. */

import { beforeAll, describe, expect, test } from "vitest";
import { Random } from "../../fixtures/generate/random.ts";
import { harvestKilled, type Left, LONG } from "../harvest/killed-harvest.ts";

const MOMENTS = 30;

/**
 * Chooses the request at which a harvest is killed. How much of its response has arrived then depends on the load of the
 * machine.
 */
const random = new Random(29, 0, 0);

let kills = 0;

describe.each(LONG)("a killed harvest of $source", (long) => {
  let whole: Left;

  beforeAll(async () => {
    whole = (await harvestKilled(long, [])).left;
  });

  for (let i = 0; i < MOMENTS / LONG.length; i += 1) {
    const shares = i % 3 === 0 ? [random.unit(), random.unit(), random.unit()] : [random.unit()];
    const moments = shares.map((share) => Math.ceil(share * long.requests));
    test(`a harvest killed at request ${moments.join(", then when resumed at request ")} gives the same result as a whole one`, async () => {
      const ended = await harvestKilled(long, moments);
      kills += ended.kills;
      expect(ended.complete).toBe(true);
      expect(ended.left).toEqual(whole);
    });
  }
});

test("a running harvest was killed more than 15 times", () => {
  expect(kills).toBeGreaterThan(MOMENTS / 2);
});
