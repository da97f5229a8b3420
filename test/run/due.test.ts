/** Tests how `share-release run` decides whether a source is due, and whether it resumes an unfinished run. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type HttpRun, NO_PROGRESS, newTally, writeCheckpoint } from "../../pipeline/1-harvest/session.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { lockFolder } from "../../pipeline/store/locks.ts";
import { harvestedParts, harvestStatus } from "../../releases/run/index.ts";
import { resumeOrStart, runToBuild } from "../../releases/run/unfinished-run.ts";
import { temporaryStore } from "../support/temporary-store.ts";

const NOW = new Date("2026-11-22T02:10:00.000Z");
const HOURS = 3_600_000;

describe("sources that are due", () => {
  const CASES = [
    { name: "a source was never harvested", last: null, every: 20, due: true, walked: false },
    {
      name: "it was harvested last night, at a slightly later time of day",
      last: "2026-11-21T02:25:00.000Z",
      every: 20,
      due: true,
      walked: true,
    },
    { name: "it was harvested this night", last: "2026-11-22T02:00:00.000Z", every: 20, due: false, walked: true },
    {
      name: "it was harvested two days ago, with an interval of a week",
      last: "2026-11-20T02:00:00.000Z",
      every: 168,
      due: false,
      walked: true,
    },
    {
      name: "it was harvested just now, with an interval of zero",
      last: "2026-11-22T02:10:00.000Z",
      every: 0,
      due: true,
      walked: true,
    },
    {
      name: "it was harvested when the clock was years ahead",
      last: "2036-01-01T00:00:00.000Z",
      every: 20,
      due: true,
      walked: true,
    },
  ] as const;

  test.each(CASES)(
    "the interval of a source makes a source due if $name: $due",
    async ({ last, every, due, walked }) => {
      await using at = await temporaryStore();
      const source = sourceNamed("zenodo");
      if (source === null) throw new Error("there is no source zenodo");
      const unlock = await lockFolder(at.store.raw("zenodo"));
      const complete = last === null ? {} : { [source.walk.base]: { started: last } };
      const progress = { ...NO_PROGRESS, last: complete };
      await writeCheckpoint(at.store.raw("zenodo"), { version: 1, progress, pending: null });
      await unlock();
      const standing = await harvestStatus(at.store, { source, only: null }, every * HOURS, NOW);
      expect(standing).toEqual({ source: "zenodo", only: null, last, underWay: null, due });
      expect(await harvestedParts(at.store, source)).toEqual(walked ? [null] : []);
    },
  );
});

describe("a first harvest that was interrupted", () => {
  const CASES = [
    { name: "is continued with its options if its first part is stored", part: "whole", asked: "2026-11-01" },
    { name: "starts again if no part is stored", part: null, asked: null },
    { name: "starts again if its first part is incomplete", part: "who", asked: null },
  ] as const;

  test.each(CASES)("$name", async ({ part, asked }) => {
    await using at = await temporaryStore();
    const source = sourceNamed("zenodo");
    if (source === null) throw new Error("there is no source zenodo");
    const folder = at.store.raw("zenodo");
    const unlock = await lockFolder(folder);
    const progress = { ...NO_PROGRESS, http: { [source.walk.base]: begun(source.walk.base) } };
    const pending = { part: "000001.ndjson.zst", bytes: 5, progress };
    await writeCheckpoint(folder, { version: 1, progress: NO_PROGRESS, pending });
    if (part !== null) await writeFile(join(folder, pending.part), part);
    await unlock();
    const standing = await harvestStatus(at.store, { source, only: null }, 20 * HOURS, NOW);
    const underWay = asked === null ? null : { since: asked };
    expect(standing).toEqual({ source: "zenodo", only: null, last: null, underWay, due: true });
    expect(await harvestedParts(at.store, source)).toEqual(asked === null ? [] : [null]);
  });

  function begun(base: string): HttpRun {
    return {
      base,
      only: null,
      asked: "2026-11-01",
      since: "2026-11-01",
      limit: null,
      started: "2026-11-22T02:00:00.000Z",
      state: {},
      expected: null,
      got: 1,
      previous: [],
      overlaps: false,
      done: [],
      ended: null,
      counts: newTally(),
    };
  }
});

describe("unfinished runs", () => {
  const asked = { sources: ["osf"], since: null };
  const left = (asOf: string) => ({
    ...{ version: 1 as const, started: `${asOf}T01:00:00.000Z`, asOf, harvesting: null, parts: null, release: null },
    ...asked,
  });

  test.each(["2026-11-22", "2026-11-21"])(
    "the as-of date of a run that did not finish is kept when the run resumes on the same or the next day: %s",
    (asOf) => {
      expect(resumeOrStart(left(asOf), NOW)).toEqual(left(asOf));
    },
  );

  test.each(["2026-11-20", "2026-11-23"])(
    "the as-of date of a run that did not finish is replaced by today's date if it is older, or in the future: %s",
    (asOf) => {
      expect(resumeOrStart(left(asOf), NOW)).toMatchObject({ started: NOW.toISOString(), asOf: "2026-11-22" });
    },
  );

  const release = { key: "k", releaseDigest: "sha256:0" };
  const BUILT = [
    {
      name: "the release is used if no payload was added since",
      asOf: "2026-11-21",
      parts: { osf: 2 },
      becomes: { asOf: "2026-11-21", release },
    },
    {
      name: "the release is built again if payloads were added",
      asOf: "2026-11-21",
      parts: { osf: 1 },
      becomes: { asOf: "2026-11-22", release: null },
    },
    {
      name: "the release is built again if a source was added",
      asOf: "2026-11-21",
      parts: {},
      becomes: { asOf: "2026-11-22", release: null },
    },
    {
      name: "the release of today is used even if payloads were added",
      asOf: "2026-11-22",
      parts: { osf: 1 },
      becomes: { asOf: "2026-11-22", release },
    },
  ];
  test.each(BUILT)("when a run resumes after its build, $name", ({ asOf, parts, becomes }) => {
    const built = { ...left(asOf), parts, release };
    expect(runToBuild(built, { osf: 2 }, NOW)).toEqual({ ...built, parts: { osf: 2 }, ...becomes });
  });

  test("the as-of date of a run that did not finish is replaced by today's date if no release was built", () => {
    expect(runToBuild(left("2026-11-21"), { osf: 2 }, NOW).asOf).toBe("2026-11-22");
  });
});
