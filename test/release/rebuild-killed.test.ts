/**
 * Tests that a rebuild that is killed leaves the last release complete, and that the next rebuild has the same result as
 * without the kill.
 */

import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { currentDigest } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { verify } from "../../releases/verify/index.ts";
import { buildRelease } from "../support/build-release.ts";
import { recordedEffects } from "../support/effects.ts";
import { type ReleaseContent, releaseContent } from "../support/release-content.ts";
import { type TemporaryStore, writeCaptures } from "../support/temporary-store.ts";
import { touchesIn } from "../support/tree.ts";
import { describeCurrent, type Moment, watchedBuild } from "../support/watched-build.ts";
import { CHANGES, copyWorld, later, rebuildWorld } from "./rebuild-world.ts";

const BUILD = ["--as-of", "2026-11-02", "--threads", "2", "--reuse", "always", "--force", "a test"];

let world: TemporaryStore;
let before: string;
let content: ReleaseContent;

beforeAll(async () => {
  world = await rebuildWorld();
  before = (await currentDigest(world.store)) ?? "absent";
  await writeCaptures(world.store, [later(1, CHANGES.title), later(90)]);
  await using copy = await copyWorld(world);
  await watchedBuild(copy.store, BUILD);
  content = await releaseContent(copy.store.release(await describeCurrent(copy.store)));
  expect(content.receipt.releaseDigest).not.toBe(before);
});

afterAll(() => world[Symbol.asyncDispose]());

const at =
  (stage: string, least = 0) =>
  ({ progress }: Moment) =>
    progress?.stage === stage && progress.done >= least;

const CASES: readonly { name: string; killAt: (moment: Moment) => boolean }[] = [
  { name: "while parts are read from the cache", killAt: at("normalise") },
  { name: "before pages are reused", killAt: at("aggregate", 5) },
  { name: "while pages are reused", killAt: at("render", 1) },
  { name: "before the manifest", killAt: at("release", 3) },
  { name: "right after activation", killAt: ({ current }) => current === content?.receipt.releaseDigest },
];

for (const { name, killAt } of CASES) {
  test(`a rebuild equals a full build even after a rebuild that was killed ${name}`, async () => {
    await using copy = await copyWorld(world);
    const earlier = await touchesIn(copy.store.release(before));
    const killed = await watchedBuild(copy.store, BUILD, killAt);
    expect(killed.signal).toBe("SIGKILL");
    const left = await describeCurrent(copy.store);
    expect([before, content.receipt.releaseDigest]).toContain(left);
    await expectVerified(copy.store, left);
    await watchedBuild(copy.store, BUILD);
    const digest = content.receipt.releaseDigest;
    expect(await describeCurrent(copy.store)).toBe(digest);
    expect(await releaseContent(copy.store.release(digest))).toEqual(content);
    expect(await touchesIn(copy.store.release(before))).toEqual(earlier);
    expect((await readdir(copy.store.root)).sort()).toEqual(["cache", "current", "journal.ndjson", "raw", "releases"]);
  });
}

test("a build with other options after a killed rebuild does not affect the next rebuild", async () => {
  await using copy = await copyWorld(world);
  const killed = await watchedBuild(copy.store, BUILD, at("release"));
  expect(killed.signal).toBe("SIGKILL");
  // This build has other options, and leaves the work of the killed build in place.
  const { receipt } = await buildRelease(copy.store, { attribution: false, reuse: "always", activate: false });
  expect([before, content.receipt.releaseDigest]).not.toContain(receipt.releaseDigest);
  await watchedBuild(copy.store, BUILD);
  const digest = content.receipt.releaseDigest;
  expect(await describeCurrent(copy.store)).toBe(digest);
  expect(await releaseContent(copy.store.release(digest))).toEqual(content);
});

async function expectVerified(store: Store, digest: string): Promise<void> {
  const settings = { threads: 2, memory: "512MB" };
  expect((await verify(store, digest, settings, recordedEffects())).findings).toEqual([]);
}
