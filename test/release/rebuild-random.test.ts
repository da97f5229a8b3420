/**
 * Tests random changes and rebuilds, one after the other in one store: each rebuild equals a full build of the same payloads.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { buildRelease } from "../support/build-release.ts";
import { type Capture, writeCaptures } from "../support/temporary-store.ts";
import { digestsIn } from "../support/tree.ts";
import { CHANGES, copyWorld, later, rebuildWorld } from "./rebuild-world.ts";

const RUNS = 4;
const DAYS = ["2026-11-02", "2027-03-01", "2031-01-01"] as const;

const capture = fc
  .record({
    index: fc.nat({ max: 99 }),
    change: fc.constantFrom(...Object.values(CHANGES)),
    fate: fc.constantFrom("kept", "kept", "kept", "gone", "unreadable"),
  })
  .map(({ index, change, fate }): Capture => {
    const made = later(index, change);
    if (fate === "gone") return { ...made, payload: "", status: 410 };
    return fate === "unreadable" ? { ...made, payload: "{" } : made;
  });

const step = fc.record({
  captures: fc.uniqueArray(capture, { maxLength: 12, selector: ({ sourceId }) => sourceId }),
  asOf: fc.constantFrom(...DAYS),
  attribution: fc.boolean(),
});

test("a build that reuses pages equals a full build after each of several random changes", {
  timeout: 1_800_000,
}, async () => {
  await using world = await rebuildWorld();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 2 }), async (steps) => {
      await using cheap = await copyWorld(world);
      await using full = await copyWorld(world);
      for (const [i, { captures, asOf, attribution }] of steps.entries()) {
        const now = `2026-11-1${i}T09:30:00.000Z`;
        const digests: string[] = [];
        for (const [{ store }, reuse] of [
          [cheap, "always"],
          [full, "never"],
        ] as const) {
          if (captures.length > 0) await writeCaptures(store, captures);
          const { receipt } = await buildRelease(store, { asOf, attribution, reuse, force: "a test" }, now);
          digests.push(receipt.releaseDigest);
        }
        const [rebuilt = "", built = ""] = digests;
        expect(rebuilt).toBe(built);
        expect(await digestsIn(cheap.store.release(rebuilt))).toEqual(await digestsIn(full.store.release(built)));
      }
    }),
    { numRuns: RUNS, seed: 20_261_121, endOnFailure: true },
  );
});
