/** Tests that the bytes of packs depend only on the rows: one worker writes the same packs as two or four workers together. */

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

/** The number of records: slightly more than the number from which packs are split. */
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
  "the packs of a release are the same if %i workers write them",
  async (threads) => {
    const folder = join(there.folder, `rendered-by-${threads}`);
    const options = { rubrics: PUBLIC_VERSIONS, threads, memory: "512MB" };
    await render(releaseTablePaths(release), folder, options, recordedEffects());
    const packs = await digestsIn(join(folder, "tree/pages"));
    const released = await digestsIn(join(release, "pages"));
    // The pack with pages that contain the release digest is written by the next stage.
    released.delete("release.zst");
    expect(packs.size).toBeGreaterThan(16 * 8);
    expect(packs).toEqual(released);
  },
  300_000,
);
