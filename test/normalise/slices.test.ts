/** Normalising alone: slices that share nothing, and a build that takes their rows over. */

import { readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Store } from "../../pipeline/store/store.ts";
import { buildRelease } from "../support/build-release.ts";
import { AS_OF, harvestBundled } from "../support/bundled-corpus.ts";
import { jsonLines, runCommand } from "../support/command-line.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";

const LONG = 180_000;

const summary = z.looseObject({ parts: z.int(), all: z.int(), kept: z.int() });

let at: TemporaryStore;
let store: Store;

beforeAll(async () => {
  at = await temporaryStore();
  store = at.store;
  await harvestBundled(store);
}, LONG);
afterAll(() => at[Symbol.asyncDispose]());

async function normalised(slice: string, asOf = AS_OF) {
  const own = ["--store", store.root, "--threads", "1", "--json"];
  const ended = await runCommand(["normalise", "--as-of", asOf, "--slice", slice, ...own]);
  expect(ended.exitCode, ended.stderr).toBe(0);
  return summary.parse(jsonLines(ended.stdout).at(-1));
}

async function keptParts(): Promise<string[]> {
  const cache = join(store.cache, "normalised");
  const sources = await readdir(cache).catch(() => []);
  const parts = sources.map(async (source) => (await readdir(join(cache, source))).map((part) => `${source}/${part}`));
  return (await Promise.all(parts)).flat().sort();
}

const scratches = async () => (await readdir(tmpdir())).filter((name) => name.startsWith("share-normalise-"));

describe("slices of the bundled corpus", () => {
  test(
    "at once, one of them twice: each part is kept once, and nothing is left behind",
    async () => {
      const before = await scratches();
      const [first, middle, last, again] = await Promise.all([
        normalised("0/3"),
        normalised("1/3"),
        normalised("2/3"),
        normalised("1/3"),
      ]);
      const { all } = first;
      expect(all).toBeGreaterThan(10);
      expect(first.parts + middle.parts + last.parts).toBe(all);
      expect(again.parts).toBe(middle.parts);
      // Sources of one part each, spread over all.
      const parts = [first, middle, last].map((slice) => slice.parts);
      expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(2);
      expect(await keptParts()).toHaveLength(all);
      expect(await scratches()).toEqual(before);
      expect(await normalised("1/3")).toMatchObject({ parts: middle.parts, kept: middle.parts });
    },
    LONG,
  );

  test(
    "a build takes all of it over, and makes the release that it makes without",
    async () => {
      const taken = await buildRelease(store, { reuse: "always" });
      expect(taken.reused).toMatchObject({ parts: (await keptParts()).length, normalisedParts: 0 });
      await rm(store.cache, { recursive: true, force: true });
      const whole = await buildRelease(store, { reuse: "never" });
      expect([whole.created, whole.receipt.releaseDigest]).toEqual([false, taken.receipt.releaseDigest]);
    },
    LONG,
  );

  test(
    "what was judged by another day is read again, and nothing else",
    async () => {
      await normalised("0/1");
      const later = await normalised("0/1", "2026-11-02");
      expect(later.kept).toBeGreaterThan(0);
      expect(later.kept).toBeLessThan(later.parts);
    },
    LONG,
  );
});

test(
  "a part that comes between two slices moves no other one",
  async () => {
    await using own = await temporaryStore();
    const { store } = own;
    await harvestBundled(store, ["clinicaltrials", "datacite", "zenodo"]);
    const slice = (text: string) => runCommand(["normalise", "--as-of", AS_OF, "--slice", text, "--store", store.root]);
    expect((await slice("0/2")).stdout).toContain("of 3 raw parts, slice 0 of 2");
    await harvestBundled(store, ["clinicaltrials"]);
    expect((await slice("1/2")).stdout).toContain("of 4 raw parts, slice 1 of 2");
    const { reused } = await buildRelease(store, { reuse: "always" });
    expect(reused.parts).toBeGreaterThanOrEqual(3);
  },
  LONG,
);

test(
  "nothing to read is said, and leaves nothing behind; nor is a day to come one to read by",
  async () => {
    await using own = await temporaryStore();
    const before = await scratches();
    await harvestBundled(own.store, ["osf"]);
    const asked = (...more: string[]) => runCommand(["normalise", "--store", own.store.root, ...more]);
    const named = await asked("--as-of", AS_OF, "--source", "osf", "zenodo");
    expect([named.exitCode, named.stderr]).toEqual([1, expect.stringContaining("nothing of zenodo is harvested")]);
    const later = await asked("--as-of", "2999-01-01");
    expect([later.exitCode, later.stderr]).toEqual([2, expect.stringContaining("is in the future")]);
    expect(await scratches()).toEqual(before);
  },
  LONG,
);

test.each(["3/3", "1", "0/100001", "a/b"])("%s is no slice", async (slice) => {
  const ended = await runCommand(["normalise", "--as-of", AS_OF, `--slice=${slice}`, "--store", store.root]);
  expect([ended.exitCode, ended.stderr]).toEqual([2, expect.stringContaining("expected a slice such as 0/16")]);
});
