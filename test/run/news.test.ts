/** Tests how `share-release run` decides whether to build: after each harvest, build and rollback of one store. */

import { expect, test } from "vitest";
import { writeGenerated } from "../../fixtures/write.ts";
import { activate, changeNow } from "../../pipeline/store/releases.ts";
import { countParts, hasNewParts } from "../../releases/run/index.ts";
import { buildRelease } from "../support/build-release.ts";
import { recordedEffects } from "../support/effects.ts";
import { temporaryStore } from "../support/temporary-store.ts";

const SOURCES = ["datacite", "zenodo"] as const;

test("a build is due if payloads were harvested since the last build, whichever release is active", async () => {
  await using at = await temporaryStore();
  const { store } = at;
  const news = async () => hasNewParts(store, await countParts(store, SOURCES));
  const built = async (carryForward: readonly string[] = []) =>
    (await buildRelease(store, { sources: SOURCES, carryForward })).receipt.releaseDigest;
  const told: [string, boolean][] = [["an empty store", await news()]];
  // Each harvest adds records that are different from all earlier ones.
  const harvest = async (...sources: readonly (typeof SOURCES)[number][]) => {
    for (const source of sources)
      await writeGenerated(store, { source, records: 8, seed: told.length }, recordedEffects());
  };
  const after = async (what: string) => told.push([what, await news()]);

  await harvest(...SOURCES);
  await after("the first harvest");
  await built();
  await after("its build");
  await harvest("datacite", "zenodo");
  await after("more of both");
  const without = await built(["datacite"]);
  await after("a build with datacite carried forward");
  await harvest("zenodo");
  await after("more of zenodo");
  await built();
  await after("a build of all sources");
  await activate(store, without, changeNow(recordedEffects()));
  await after("a rollback");
  await harvest("zenodo");
  await after("another harvest of zenodo");
  await built();
  await harvest("datacite");
  await after("another harvest of the source that was carried forward");
  expect(told).toEqual([
    ["an empty store", false],
    ["the first harvest", true],
    ["its build", false],
    ["more of both", true],
    ["a build with datacite carried forward", false],
    ["more of zenodo", true],
    ["a build of all sources", false],
    ["a rollback", false],
    ["another harvest of zenodo", true],
    ["another harvest of the source that was carried forward", true],
  ]);
}, 300_000);
