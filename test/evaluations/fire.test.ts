/** Evaluation jobs whose servers are killed or stopped while they work. A longer test is in test/soak. */

import { expect, test } from "vitest";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { allEndedOnce, setFire, summariseFire } from "./fire.ts";

const JOBS = 40;

describeEachDatabase("jobs whose servers are killed or fall silent", (newTarget) => {
  test("every evaluation job ends exactly once, although its servers are killed or stopped while they work", async () => {
    const fire = await setFire(await newTarget(), { jobs: JOBS, servers: 2, kills: 3, stalls: 2, seed: 5 });
    expect(summariseFire(fire)).toEqual(allEndedOnce(JOBS));
  });
});
