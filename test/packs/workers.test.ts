/** The bytes of packs follow from rows alone: one worker writes what two and four write side by side, of many ranges. */

import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { render } from "../../pipeline/5-render/index.ts";
import { chooseSplit } from "../../pipeline/packs/format.ts";
import { releaseTablePaths } from "../../pipeline/pages/columns.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { recordedEffects } from "../support/effects.ts";
import { type FilledStore, filledStore } from "../support/temporary-store.ts";
import { digestsIn } from "../support/tree.ts";
import { at } from "../trust/world.ts";

/** Slightly more records than the number at which packs are split. */
const RECORDS = 2300;

let there: FilledStore;
let release: string;

beforeAll(async () => {
  there = await filledStore({ generated: { datacite: RECORDS, seed: 13 }, builds: [{ threads: 2 }] });
  const receipt = at(there.receipts, 0);
  expect(chooseSplit(receipt.coverage.scored)).toBe(16);
  release = there.store.release(receipt.releaseDigest);
}, 300_000);
afterAll(() => there?.[Symbol.asyncDispose]());

test.each([1, 2, 4])(
  "the packs of the release are the same if %i workers write them",
  async (threads) => {
    const folder = join(there.folder, `rendered-by-${threads}`);
    const options = { rubrics: PUBLIC_VERSIONS, threads, memory: "512MB" };
    await render(releaseTablePaths(release), folder, options, recordedEffects());
    const packs = await digestsIn(join(folder, "tree/pages"));
    const released = await digestsIn(join(release, "pages"));
    // The next stage makes the one pack of pages that name the release.
    released.delete("release.zst");
    expect(packs.size).toBeGreaterThan(16 * 8);
    expect(packs).toEqual(released);
  },
  300_000,
);
