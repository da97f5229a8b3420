/**
 * Tests a release of format 2, which lacks affiliations and funding: it can be served, verified, compared, and followed by one
 * of format 3.
 */

import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { detectReleaseFormat, readReceipt } from "../../pipeline/store/releases.ts";
import { readUnfinishedRun } from "../../releases/run/unfinished-run.ts";
import { ask } from "../server/ask.ts";
import { buildRelease } from "../support/build-release.ts";
import { runHosted } from "../support/command-host.ts";
import { startServing } from "../support/serving.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { addFilesOf2fc5392a, asFormat2, tablesStated } from "./format-2.ts";
import { at, SOURCES, signedWorld, type World } from "./world.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const DAY = "2026-11-01";

let world: World;
let old: string;

beforeAll(async () => {
  world = await signedWorld([DAY]);
  old = await asFormat2(world.store, at(world.digests, 0));
});
afterAll(() => world[Symbol.asyncDispose]());

const run = (...parameters: readonly string[]) => runHosted([...parameters, "--store", world.store.root]);

test("a release of format 2 is recognised by the tables that its receipt lists", async () => {
  const receipt = await readReceipt(world.store.release(old));
  expect(receipt && detectReleaseFormat(receipt)).toBe(2);
  expect(await tablesStated(world.store.release(old))).not.toContain("funding");
  expect(detectReleaseFormat(at(world.receipts, 0))).toBe(3);
});

test.each([
  { option: "without options", code: 0, verdict: "is valid" },
  { option: "--rebuild", code: 4, verdict: "with other rules or readers built it" },
])("release verify of a release of format 2 exits with $code ($option)", async ({ option, code, verdict }) => {
  const { exitCode, stdout } = await run("release", "verify", ...(option === "without options" ? [] : [option]));
  expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: expect.stringContaining(verdict) });
});

test("a server serves the records of a release of format 2", async () => {
  const serving = await startServing(["--store", world.store.root], {});
  try {
    const records = await ask(serving.port, "/records?minScore=1");
    expect(records.status).toBe(200);
    expect(JSON.parse(records.text)._meta.scoreRelease.releaseDigest).toBe(old);
    const byFunder = await ask(serving.port, "/records?funder=x");
    expect([byFunder.status, JSON.parse(byFunder.text).type]).toEqual([409, "/problems/attribution-not-published"]);
  } finally {
    await serving.end();
  }
});

test("a release of format 2 can be followed by one of format 3, which is verified and compared with it", async () => {
  await using copy = await temporaryStore(world.store);
  const { receipt, created } = await buildRelease(
    copy.store,
    { asOf: DAY, sources: SOURCES },
    "2026-11-03T12:00:00.000Z",
  );
  expect({ created, previous: receipt.previousReleaseDigest, format: detectReleaseFormat(receipt) }).toEqual({
    created: true,
    previous: old,
    format: 3,
  });
  const verified = await runHosted(["release", "verify", "--rebuild", "--store", copy.store.root]);
  expect({ exitCode: verified.exitCode, stdout: verified.stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining("is valid"),
  });
  for (const pair of [
    [old, receipt.releaseDigest],
    [receipt.releaseDigest, old],
  ]) {
    const compared = await runHosted(["release", "diff", ...pair, "--store", copy.store.root]);
    expect({ exitCode: compared.exitCode, stderr: compared.stderr }).toEqual({ exitCode: 0, stderr: "" });
  }
});

test("an operator can upgrade the store of commit 2fc5392a with its keys, its run and its accounts", async () => {
  await using copy = await temporaryStore(world.store);
  const { root, publicKeys } = copy.store;
  const key = at(world.keys, 0);
  await addFilesOf2fc5392a(copy.store, key);
  const keysBefore = await readFile(publicKeys, "utf8");
  const on = (...parameters: readonly string[]) => runHosted([...parameters, "--store", root]);
  const doctor = await on("doctor");
  expect([doctor.exitCode, doctor.stdout], doctor.stderr).toEqual([0, expect.stringContaining("0 faults, ")]);
  expect(doctor.stdout).toContain("the accounts have version 8, and this program uses version");
  expect(doctor.stdout).toContain("1, of which 1 revoked");
  const keys = await on("key", "list");
  expect([keys.stdout.includes(key.kid), keys.stdout.includes("2026-11-20")]).toEqual([true, true]);
  const serving = await startServing(["--store", root], {});
  try {
    expect(JSON.parse((await ask(serving.port, "/health")).text)).toMatchObject({
      release: old,
      hiddenResearchers: "current",
    });
    expect((await ask(serving.port, "/authors/ada-lovelace")).status).toBe(404);
  } finally {
    await serving.end();
  }
  expect(await on("account", "log")).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("hide") });
  // The key file is unchanged, because an older program needs its statements if the operator returns to it.
  const published = await on("release", "publish", "--pages", "--to", root);
  expect([published.exitCode, published.stderr]).toEqual([0, expect.not.stringContaining("Error")]);
  expect(await readFile(publicKeys, "utf8")).toBe(keysBefore);
  expect((await readUnfinishedRun(copy.store))?.sources).toEqual(["zenodo"]);
});
