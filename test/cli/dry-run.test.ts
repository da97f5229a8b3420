/** Tests `share-release build --dry-run`, which lists what a build would use, and changes nothing. */

import { expect, test } from "vitest";
import { dryRun } from "../../pipeline/build.ts";
import { type BuildReleaseOptions, buildAndActivate } from "../../releases/activate.ts";
import { BUILD_DEFAULTS, buildRelease } from "../support/build-release.ts";
import { AS_OF, harvestBundled } from "../support/bundled-corpus.ts";
import { runHosted } from "../support/command-host.ts";
import { recordedEffects } from "../support/effects.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { touchesIn } from "../support/tree.ts";

test("build --dry-run lists the sources and their size, and changes nothing", async () => {
  await using place = await temporaryStore();
  await harvestBundled(place.store, ["zenodo", "osf"]);
  const before = await touchesIn(place.folder);
  const parameters = ["build", "--as-of", AS_OF, "--dry-run", "--store", place.store.root];
  const { exitCode, stdout } = await runHosted([...parameters, "--json"]);
  expect(exitCode).toBe(0);
  const found: unknown = JSON.parse(stdout);
  expect(found).toMatchObject({
    asOf: AS_OF,
    rubrics: ["2.0", "1.0"],
    alsoContracts: [],
    sources: [
      { source: "osf", parts: 1, payloads: expect.any(Number) },
      { source: "zenodo", parts: 1, payloads: expect.any(Number) },
    ],
    finished: [],
    active: null,
  });
  const { stdout: words } = await runHosted(parameters);
  expect(words).toMatch(/^Dry run: .*\nsources {5}osf: \d+ payloads in 1 part of \d[\d.]* kB, harvested from files/);
  expect(words).toContain("\nstarts      with the first stage\n");
  const also = ["--extra-contract", "2.0.0-beta.1", "--rubric", "2.0"];
  const { stdout: twice } = await runHosted([...parameters, ...also, "--json"]);
  expect(JSON.parse(twice)).toMatchObject({ rubrics: ["2.0"], alsoContracts: ["2.0.0-beta.1"] });
  const { stdout: told } = await runHosted([...parameters, ...also]);
  expect(told).toContain(`\nas of       ${AS_OF}, under 2.0 and 2.0.0-beta.1\n`);
  expect(await touchesIn(place.folder)).toEqual(before);
});

test("build --dry-run fails for a named source without payloads, as a build does", async () => {
  await using place = await temporaryStore();
  await harvestBundled(place.store, ["osf"]);
  const parameters = ["build", "--as-of", AS_OF, "--dry-run", "--source", "osf", "dryad", "--store", place.store.root];
  const { exitCode, stderr } = await runHosted(parameters);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringContaining("nothing of dryad is harvested"),
  });
});

test("build --dry-run shows where an interrupted build would resume, and which release precedes the new one", async () => {
  await using place = await temporaryStore();
  await harvestBundled(place.store, ["osf"]);
  const options: BuildReleaseOptions = { ...BUILD_DEFAULTS, sources: ["osf"] };
  const interrupted = {
    ...recordedEffects(),
    progress: ({ stage }: { stage: string }) => {
      if (stage === "release") throw new Error("the power is gone");
    },
  };
  await expect(buildAndActivate(place.store, options, interrupted)).rejects.toThrow("the power is gone");
  const found = await dryRun(place.store, options);
  expect(found.finished).toEqual(["normalise", "score", "aggregate", "render"]);
  // The numbers of threads and the gates do not change the files of the stages, but the as-of date does.
  expect((await dryRun(place.store, { ...options, threads: 2, gates: { lost: 0.5 } })).finished).toEqual(
    found.finished,
  );
  expect((await dryRun(place.store, { ...options, asOf: "2026-10-01" })).finished).toEqual([]);
  const { receipt } = await buildRelease(place.store, { sources: ["osf"] });
  expect((await dryRun(place.store, options)).active).toEqual({
    releaseDigest: receipt.releaseDigest,
    asOf: AS_OF,
  });
});
