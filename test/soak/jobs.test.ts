/** Two servers run two hundred jobs of one store. Despite ten kills and four stalls, every job ends once, with one result. */

import { expect, test } from "vitest";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { allEndedOnce, setFire, summariseFire } from "../evaluations/fire.ts";

const JOBS = 200;

describeEachDatabase("jobs whose servers are killed or fall silent", (newTarget) => {
  test.each([1, 2, 3])(
    "every evaluation job ends once with one result although servers are killed or stall: seed %i",
    async (seed) => {
      const fire = await setFire(await newTarget(), { jobs: JOBS, servers: 2, kills: 10, stalls: 4, seed });
      expect(summariseFire(fire)).toEqual(allEndedOnce(JOBS));
      // Kills that interrupt no job prove nothing.
      expect(fire.repeated).toBeGreaterThan(0);
    },
  );
});
