/**
 * Tests stores with a release of format 1: commands report the format and say what to do, and a build makes a release of the
 * current format. A release of a later format is rejected with a clear message.
 */

import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { metricsHistory } from "../../schemas/public/api/metrics.ts";
import { restoreAccounts } from "../accounts/older-store.ts";
import { ask } from "../server/ask.ts";
import { buildRelease } from "../support/build-release.ts";
import { runHosted } from "../support/command-host.ts";
import { jsonLines } from "../support/command-line.ts";
import { pageIn } from "../support/release-pages.ts";
import { startServing } from "../support/serving.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { asFormat1 } from "./format-1.ts";
import { at, SOURCES, signedWorld, type World } from "./world.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const DAY = "2026-11-01";

let world: World;
let old: string;

beforeAll(async () => {
  world = await signedWorld([DAY]);
  old = await asFormat1(world.store, at(world.digests, 0));
});
afterAll(() => world[Symbol.asyncDispose]());

const run = (...parameters: readonly string[]) => runHosted([...parameters, "--store", world.store.root]);

const WAY = `share-release build --as-of ${DAY} --source zenodo`;

const LISTING: readonly { name: string; parameters: readonly string[]; says: string; exitCode: number }[] = [
  { name: "releases", parameters: ["release", "list"], says: "format 1", exitCode: 0 },
  { name: "log", parameters: ["release", "log"], says: "format 1", exitCode: 0 },
  { name: "doctor", parameters: ["doctor"], says: WAY, exitCode: 0 },
  { name: "prune", parameters: ["release", "prune", "--keep", "1", "--dry-run"], says: "", exitCode: 0 },
  { name: "verify", parameters: ["release", "verify"], says: WAY, exitCode: 1 },
];

test.each(LISTING)(
  "$name works with a release of format 1, and exits with $exitCode",
  async ({ parameters, says, exitCode }) => {
    const result = await run(...parameters);
    expect({ exitCode: result.exitCode, stdout: result.stdout }).toEqual({
      exitCode,
      stdout: expect.stringContaining(says),
    });
  },
);

const REJECTING: readonly { name: string; parameters: () => readonly string[] }[] = [
  { name: "activate", parameters: () => ["release", "activate", old] },
  { name: "diff", parameters: () => ["release", "diff", old, old] },
  { name: "publish", parameters: () => ["release", "publish", "--to", `${world.folder}/www`] },
];

test.each(REJECTING)(
  "$name rejects a release of format 1, and names the build command that makes a new one",
  async ({ name, parameters }) => {
    await using copy = await temporaryStore(world.store);
    if (name === "activate") await rm(copy.store.current);
    const { exitCode, stderr } = await runHosted([...parameters(), "--store", copy.store.root]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(WAY) });
  },
);

describe("stores of format 1", () => {
  let copy: TemporaryStore;
  beforeAll(async () => {
    copy = await temporaryStore(world.store);
  });
  afterAll(() => copy[Symbol.asyncDispose]());

  test("a store with a release of format 1 is served as if it had no release until the next build, and the log says why", async () => {
    const serving = await startServing(["--store", copy.store.root], {});
    try {
      expect((await ask(serving.port, "/records")).status).toBe(503);
      expect(serving.logged()).toContain("is of format 1");
      const { receipt, created } = await buildRelease(
        copy.store,
        { asOf: DAY, sources: SOURCES },
        "2026-11-03T12:00:00.000Z",
      );
      expect(created).toBe(true);
      expect(receipt).toMatchObject({ previousReleaseDigest: old, scoreReleaseVersion: "2026.11.01.1" });
      await expect
        .poll(() => ask(serving.port, "/records").then(({ status }) => status), { timeout: 60_000 })
        .toBe(200);
      const history = metricsHistory.parse(
        JSON.parse(
          (await pageIn(copy.store.release(receipt.releaseDigest), "api/2.0/metrics/history.json")).toString(),
        ),
      );
      // The history continues: it also lists the release of format 1.
      expect(history.at(-1)?.releaseDigest).toBe(receipt.releaseDigest);
      expect(history.length).toBeGreaterThan(1);
    } finally {
      await serving.end();
    }
    const verified = await runHosted(["release", "verify", "--rebuild", "--store", copy.store.root]);
    expect(verified.stdout).toContain("is valid");
    const back = await runHosted(["release", "rollback", "--store", copy.store.root]);
    expect({ exitCode: back.exitCode, stderr: back.stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining("the earlier release is missing or of format 1"),
    });
    const pruned = await runHosted(["release", "prune", "--keep", "1", "--json", "--store", copy.store.root]);
    expect(jsonLines(pruned.stdout)).toMatchObject([{ removed: [old] }]);
  });
});

test("an operator can upgrade the store of commit c6f1df0 with its accounts", async () => {
  await using copy = await temporaryStore(world.store);
  await restoreAccounts({ sqlite: join(copy.store.root, "accounts.sqlite") }, "c6f1df0");
  const on = (...parameters: readonly string[]) => runHosted([...parameters, "--store", copy.store.root]);
  expect(await on("doctor")).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("the accounts have version 5, and this program uses version"),
  });
  const built = await on("build", "--as-of", "2026-11-04", "--reader-impact", "--sign", world.keyFile);
  expect([built.exitCode, built.stdout], built.stderr).toEqual([
    0,
    expect.stringContaining("There is no active release of format 2 or 3 to compare with."),
  ]);
  expect(await on("release", "activate", "2026.11.04")).toMatchObject({ exitCode: 0 });
  expect(await on("account", "list", "--hidden")).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`a${"1".repeat(24)}`),
  });
  expect(await on("release", "verify")).toMatchObject({ exitCode: 0 });
});

describe("receipts of later formats", () => {
  let copy: TemporaryStore;
  beforeAll(async () => {
    copy = await temporaryStore(world.store);
    // Writes a receipt as a later program could: it has unknown fields, and lacks some that this program needs.
    const later = { format: 4, releaseDigest: old, tool: { name: "share-release", version: "3.1.0" }, parts: {} };
    await writeFile(join(copy.store.release(old), "release.json"), `${JSON.stringify(later, null, 2)}\n`);
  });
  afterAll(() => copy[Symbol.asyncDispose]());

  test.each([
    ["release", "list"],
    ["release", "verify", "sha256"],
    ["release", "activate", "sha256"],
    ["release", "publish", "sha256", "--to", "www"],
    ["doctor"],
  ])(
    "a receipt of a later format is rejected by share-release %s %s, with the version of the program that can read it",
    async (...words) => {
      const parameters = words.map((word) => (word === "sha256" ? old : word));
      const { exitCode, stdout, stderr } = await runHosted([...parameters, "--store", copy.store.root]);
      const said = "of format 4, and this program reads formats up to 3";
      expect({ exitCode, output: stdout + stderr }).toEqual({ exitCode: 1, output: expect.stringContaining(said) });
      expect(stdout + stderr).toContain("Version 3.1.0 made it: use that version or a later one");
      expect(stdout + stderr).not.toContain("damaged");
    },
  );
});
