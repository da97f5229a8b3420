/** Every SQL file is run by a real DuckDB: over a store with nothing in it, and over the bundled corpus. */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { verify } from "../../pipeline/verify.ts";
import { buildRelease } from "../support/build-release.ts";
import { harvestBundled, REPOSITORY } from "../support/bundled-corpus.ts";
import { recordedEffects } from "../support/effects.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { pathsOf } from "./sources-of.ts";

const NOTHING = { harvested: 0, superseded: 0, duplicates: 0, tombstones: 0, notDataset: 0, failed: 0, scored: 0 };

test("a store with nothing in it makes an empty release, by every SQL file", async () => {
  await using empty = await temporaryStore();
  const { ran, result } = await watching(() => buildRelease(empty.store));
  expect(ran).toEqual(await pathsOf(/\.sql$/));
  expect(result.receipt.coverage).toEqual(NOTHING);
  const settings = { threads: 1, memory: "256MB", rescore: true };
  const verification = await verify(empty.store, result.receipt.releaseDigest, settings, recordedEffects());
  expect(verification.findings).toEqual([]);
});

test("the bundled corpus makes a release by every SQL file", async () => {
  await using bundled = await temporaryStore();
  await harvestBundled(bundled.store);
  const { ran, result } = await watching(() => buildRelease(bundled.store));
  expect(ran).toEqual(await pathsOf(/\.sql$/));
  expect(result.receipt.coverage.scored).toBeGreaterThan(0);
});

test("each SQL file says first what it is for", async () => {
  const paths = await pathsOf(/\.sql$/);
  const silent: string[] = [];
  for (const path of paths) {
    if (!(await readFile(join(REPOSITORY, path), "utf8")).startsWith("-- ")) silent.push(path);
  }
  expect(paths.length).toBeGreaterThan(5);
  expect(silent).toEqual([]);
});

/** Runs `work`; answers the paths of the SQL files that ran to their end meanwhile, each once, in order. */
async function watching<T>(work: () => Promise<T>): Promise<{ ran: string[]; result: T }> {
  const seen = new Set<string>();
  const listen = (file: unknown) => {
    if (file instanceof URL) seen.add(relative(REPOSITORY, fileURLToPath(file)));
  };
  subscribe("share-release:sql-file", listen);
  try {
    const result = await work();
    return { ran: [...seen].sort(), result };
  } finally {
    unsubscribe("share-release:sql-file", listen);
  }
}
