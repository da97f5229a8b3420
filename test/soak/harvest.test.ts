/** Kills at thirty moments of chance over whole harvests, some of them again and again: nothing is lost, nothing comes twice. */

import { beforeAll, describe, expect, test } from "vitest";
import { Random } from "../../fixtures/generate/random.ts";
import { harvestKilled, type Left, LONG } from "../harvest/killed-harvest.ts";

const MOMENTS = 30;

/** Which request it is, is chosen; the load of the machine says how far the answer had come. */
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
    test(`killed at request ${moments.join(", then at its ")}`, async () => {
      const ended = await harvestKilled(long, moments);
      kills += ended.kills;
      expect(ended.complete).toBe(true);
      expect(ended.left).toEqual(whole);
    });
  }
});

test("most moments fell into a harvest", () => {
  expect(kills).toBeGreaterThan(MOMENTS / 2);
});
