/** A rebuild takes over what did not change, comes to the same bytes as a full build, and leaves the earlier release alone. */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { currentDigest } from "../../pipeline/store/releases.ts";
import { buildRelease } from "../support/build-release.ts";
import type { TemporaryStore } from "../support/temporary-store.ts";
import { touchesIn } from "../support/tree.ts";
import { CHANGES, copyOf, expectSame, harvested, LATER, later, rebuildWorld } from "./rebuild-world.ts";

let world: TemporaryStore;

beforeAll(async () => {
  world = await rebuildWorld();
});

afterAll(() => world[Symbol.asyncDispose]());

test("many changes at once: the files of a full build", async () => {
  const { reused } = await expectSame(world, (store) =>
    harvested(store, [
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

test("unchanged pages are the very files of the earlier release, which stays as it was", async () => {
  await using copy = await copyOf(world);
  const earlier = copy.store.release((await currentDigest(copy.store)) ?? "");
  const touches = await touchesIn(earlier);
  await harvested(copy.store, [later(1, CHANGES.title)]);
  const { receipt, reused } = await buildRelease(copy.store, { reuse: "always" }, LATER);
  const now = copy.store.release(receipt.releaseDigest);
  let shared = 0;
  for (const path of (await touchesIn(now)).keys()) {
    if ((await inodeOf(join(earlier, path))) === (await inodeOf(join(now, path)))) shared += 1;
  }
  expect(shared).toBe(reused.pages);
  expect(shared).toBeGreaterThan(touches.size / 2);
  expect(await touchesIn(earlier)).toEqual(touches);
});

async function inodeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ ino }) => ino,
    () => null,
  );
}
