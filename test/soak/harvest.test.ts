/** Kills at thirty random moments of whole harvests, some repeatedly: no record is lost or duplicated. */

import { beforeAll, describe, expect, test } from "vitest";
import { Random } from "../../fixtures/generate/random.ts";
import { harvestKilled, type Left, LONG } from "../harvest/killed-harvest.ts";

const MOMENTS = 30;

/** The test chooses the request; the load of the machine determines how much of the response has arrived. */
const random = new Random(29, 0, 0);

let kills = 0;

describe.each(LONG)("$source", (long) => {
  let whole: Left;

  beforeAll(async () => {
    whole = (await harvestKilled(long, [])).left;
  });

  for (let i = 0; i < MOMENTS / LONG.length; i += 1) {
    const shares = i % 3 === 0 ? [random.unit(), random.unit(), random.unit()] : [random.unit()];
    const moments = shares.map((share) => Math.ceil(share * long.requests));
    test(`a harvest killed at request ${moments.join(", then at its ")} gives the same result`, async () => {
      const ended = await harvestKilled(long, moments);
      kills += ended.kills;
      expect(ended.complete).toBe(true);
      expect(ended.left).toEqual(whole);
    });
  }
});

test("most of the kills hit a running harvest", () => {
  expect(kills).toBeGreaterThan(MOMENTS / 2);
});
