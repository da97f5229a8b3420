/**
 * Tests that a build that is killed in any stage leaves the active release complete, and that the next build has the same
 * result as one without a kill.
 */

import { afterAll, beforeAll, expect, test } from "vitest";
import { removeWork } from "../../pipeline/store/store.ts";
import { buildRelease } from "../support/build-release.ts";
import { BUILD, type Expected, expectGoesOn, expectWhole, verifiedContent } from "../support/interrupted-build.ts";
import { type BundledRelease, bundledRelease, linkedStore, type TemporaryStore } from "../support/temporary-store.ts";
import { type Moment, watchedBuild } from "../support/watched-build.ts";

/** A store in which builds are killed, and the expected result of its next build. */
interface Start {
  readonly original: TemporaryStore;
  readonly expected: Expected;
}

let empty: Start;
let older: Start;

beforeAll(async () => {
  await using bundled = await bundledRelease();
  empty = await startEmpty(bundled);
  older = await startOlder(bundled);
});

afterAll(async () => {
  for (const { original } of [empty, older]) await original[Symbol.asyncDispose]();
});

interface Case {
  readonly name: string;
  /** True if a release is active before the killed build starts. */
  readonly active: boolean;
  readonly killAt: (moment: Moment) => boolean;
  /** The last stage that the build reached before the kill. */
  readonly stage: string;
}

const at =
  (stage: string, least = 0) =>
  ({ progress }: Moment) =>
    progress?.stage === stage && progress.done >= least;

/** One or two moments for a kill in each stage. `make soak` kills at thirty random moments. */
const CASES: readonly Case[] = [
  { name: "normalise", active: false, stage: "normalise", killAt: at("normalise") },
  { name: "aggregate", active: false, stage: "aggregate", killAt: at("aggregate", 2) },
  { name: "render, at the first pages", active: true, stage: "render", killAt: at("render", 1) },
  { name: "release, before the receipt", active: true, stage: "release", killAt: at("release", 3) },
  {
    name: "release, right after activation",
    active: true,
    stage: "release",
    killAt: ({ current }) => current === older.expected.content.receipt.releaseDigest,
  },
];

for (const { name, active, stage, killAt } of CASES) {
  test(`a build that is killed in the stage ${name}, leaves a valid store${active ? " with the older release active" : ""}`, async () => {
    const { original, expected } = active ? older : empty;
    await using copy = await linkedStore(original.store);
    const killed = await watchedBuild(copy.store, BUILD, killAt);
    expect({ signal: killed.signal, stage: killed.stages.at(-1) }).toEqual({ signal: "SIGKILL", stage });
    expect(killed.currents[0]).toBe(expected.before);
    await expectWhole(copy.store, expected);
    await expectGoesOn(copy.store, expected);
  });
}

/** Two builds of the same payloads may differ only in files that contain the time of publication. */
test("the time of publication is stored only in metrics, history and descriptors", () => {
  for (const { expected } of [empty, older]) {
    expect(expected.content.dated).not.toEqual([]);
    for (const path of expected.content.dated)
      expect(path).toMatch(
        /metrics|history|^(?:croissant|datapackage|ro-crate-metadata)\.json$|^report\.html$|^CITATION\.cff$/,
      );
  }
});

/** Makes a store with only the raw payloads of the bundled corpus. The expected result is the bundled release. */
async function startEmpty({ store, receipt }: BundledRelease): Promise<Start> {
  const original = await linkedStore(store, ["raw"]);
  return {
    original,
    expected: { before: "absent", older: null, content: await verifiedContent(store, receipt.releaseDigest) },
  };
}

/**
 * Makes a store with the same payloads and an active release of an earlier day. The expected result comes from an uninterrupted
 * build.
 */
async function startOlder({ store }: BundledRelease): Promise<Start> {
  const original = await linkedStore(store, ["raw"]);
  const before = (await buildRelease(original.store, { asOf: "2026-10-01" }, "2026-10-02T08:00:00.000Z")).receipt;
  await removeWork(original.store);
  await using copy = await linkedStore(original.store);
  const { receipt } = await buildRelease(copy.store);
  return {
    original,
    expected: {
      before: before.releaseDigest,
      older: await verifiedContent(copy.store, before.releaseDigest),
      content: await verifiedContent(copy.store, receipt.releaseDigest),
    },
  };
}
