/** Decides whether a source is due, and which run is resumed. */

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

describe("a source", () => {
  const CASES = [
    { name: "no harvest", last: null, every: 20, due: true, walked: false },
    {
      name: "a harvest of the night before, some minutes later than now",
      last: "2026-11-21T02:25:00.000Z",
      every: 20,
      due: true,
      walked: true,
    },
    { name: "a harvest of this night", last: "2026-11-22T02:00:00.000Z", every: 20, due: false, walked: true },
    {
      name: "a harvest at an interval of a week",
      last: "2026-11-20T02:00:00.000Z",
      every: 168,
      due: false,
      walked: true,
    },
    { name: "a harvest without an interval", last: "2026-11-22T02:10:00.000Z", every: 0, due: true, walked: true },
    {
      name: "a harvest by a clock that was years ahead",
      last: "2036-01-01T00:00:00.000Z",
      every: 20,
      due: true,
      walked: true,
    },
  ] as const;

  test.each(CASES)("is due after $name: $due", async ({ last, every, due, walked }) => {
    await using at = await temporaryStore();
    const source = sourceNamed("zenodo");
    if (source === null) throw new Error("there is no Zenodo");
    const unlock = await lockFolder(at.store.raw("zenodo"));
    const complete = last === null ? {} : { [source.walk.base]: { started: last } };
    const progress = { ...NO_PROGRESS, last: complete };
    await writeCheckpoint(at.store.raw("zenodo"), { version: 1, progress, pending: null });
    await unlock();
    const standing = await harvestStatus(at.store, { source, only: null }, every * HOURS, NOW);
    expect(standing).toEqual({ source: "zenodo", only: null, last, underWay: null, due });
    expect(await harvestedParts(at.store, source)).toEqual(walked ? [null] : []);
  });
});

describe("a first harvest that was interrupted", () => {
  const CASES = [
    { name: "is continued with its options if its part is stored", part: "whole", asked: "2026-11-01" },
    { name: "is not continued if no part is stored", part: null, asked: null },
    { name: "is not continued if its part is incomplete", part: "who", asked: null },
  ] as const;

  test.each(CASES)("$name", async ({ part, asked }) => {
    await using at = await temporaryStore();
    const source = sourceNamed("zenodo");
    if (source === null) throw new Error("there is no Zenodo");
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

describe("the day of a run that did not finish", () => {
  const asked = { sources: ["osf"], since: null };
  const left = (asOf: string) => ({
    ...{ version: 1 as const, started: `${asOf}T01:00:00.000Z`, asOf, harvesting: null, parts: null, release: null },
    ...asked,
  });

  test.each(["2026-11-22", "2026-11-21"])("of %s is kept when the run resumes", (asOf) => {
    expect(resumeOrStart(left(asOf), NOW)).toEqual(left(asOf));
  });

  test.each(["2026-11-20", "2026-11-23"])("of %s is replaced by today's date", (asOf) => {
    expect(resumeOrStart(left(asOf), NOW)).toMatchObject({ started: NOW.toISOString(), asOf: "2026-11-22" });
  });

  const release = { key: "k", releaseDigest: "sha256:0" };
  const BUILT = [
    {
      name: "is used if no payload was added",
      asOf: "2026-11-21",
      parts: { osf: 2 },
      becomes: { asOf: "2026-11-21", release },
    },
    {
      name: "is not used if payloads were added",
      asOf: "2026-11-21",
      parts: { osf: 1 },
      becomes: { asOf: "2026-11-22", release: null },
    },
    {
      name: "is not used if a source was added",
      asOf: "2026-11-21",
      parts: {},
      becomes: { asOf: "2026-11-22", release: null },
    },
    { name: "is used if it is today", asOf: "2026-11-22", parts: { osf: 1 }, becomes: { asOf: "2026-11-22", release } },
  ];
  test.each(BUILT)("with a built release $name", ({ asOf, parts, becomes }) => {
    const built = { ...left(asOf), parts, release };
    expect(runToBuild(built, { osf: 2 }, NOW)).toEqual({ ...built, parts: { osf: 2 }, ...becomes });
  });

  test("is replaced if no release was built", () => {
    expect(runToBuild(left("2026-11-21"), { osf: 2 }, NOW).asOf).toBe("2026-11-22");
  });
});
