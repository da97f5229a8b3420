/** Tests that a rebuild reuses unchanged parts, has the same bytes as a full build, and does not change the earlier release. */

import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PackReader, packCache } from "../../pipeline/packs/pack-reader.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import { buildRelease } from "../support/build-release.ts";
import { type TemporaryStore, writeCaptures } from "../support/temporary-store.ts";
import { touchesIn } from "../support/tree.ts";
import { CHANGES, copyWorld, expectSame, LATER, later, rebuildWorld } from "./rebuild-world.ts";

let world: TemporaryStore;

beforeAll(async () => {
  world = await rebuildWorld();
});

afterAll(() => world[Symbol.asyncDispose]());

test("a build that reuses pages equals a full build after many changes at once", async () => {
  const { reused } = await expectSame(world, (store) =>
    writeCaptures(store, [
      later(1, CHANGES.title),
      later(2, CHANGES.creator),
      later(3, CHANGES.subjects),
      later(4, CHANGES.nobody),
      { ...later(5), payload: "", status: 410 },
      { ...later(6), payload: "{" },
      later(90),
    ]),
  );
  expect(reused).toMatchObject({ normalisedParts: 1 });
  expect(reused.parts).toBeGreaterThanOrEqual(5);
  expect(reused.pages).toBeGreaterThan(reused.renderedPages);
});

test("a build that reuses pages copies unchanged frames byte for byte, and leaves the earlier release as it was", async () => {
  await using copy = await copyWorld(world);
  const earlier = copy.store.release((await currentDigest(copy.store)) ?? "");
  const touches = await touchesIn(earlier);
  await writeCaptures(copy.store, [later(1, CHANGES.title)]);
  const { receipt, reused } = await buildRelease(copy.store, { reuse: "always" }, LATER);
  const now = copy.store.release(receipt.releaseDigest);
  let [shared, pages] = [0, 0];
  for (const path of [...touches.keys()].filter((name) => /^pages\/\d/.test(name))) {
    const then = new Set(framesIn(join(earlier, path)).map(({ packed }) => packed));
    for (const frame of framesIn(join(now, path))) {
      pages += frame.pages;
      if (then.has(frame.packed)) shared += frame.pages;
    }
  }
  expect(reused.pages + reused.renderedPages).toBe(pages);
  expect(shared).toBeGreaterThan(pages / 2);
  expect(await touchesIn(earlier)).toEqual(touches);
});

/** Returns the compressed frames of a pack, each with its bytes and the number of its pages. */
function framesIn(path: string): { readonly packed: string; readonly pages: number }[] {
  const reader = PackReader.open(path, packCache(1 << 20));
  try {
    return [...reader.frames()].map(({ frame, pages }) => ({
      packed: reader.packed(frame).toString("latin1"),
      pages: pages.length,
    }));
  } finally {
    reader.close();
  }
}
