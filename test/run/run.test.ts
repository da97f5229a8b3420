/**
 * Tests `share-release run` over several nights of one store, with the real command and services on loopback. Each test begins
 * where the one before it ended.
 */

import { once } from "node:events";
import { readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readJournal } from "../../pipeline/store/journal.ts";
import { lockHolder } from "../../pipeline/store/locks.ts";
import { resumeOrStart, writeUnfinishedRun } from "../../releases/run/unfinished-run.ts";
import { runCommand } from "../support/command-line.ts";
import { type Asked, RunWorld, type RunWorld as World } from "./world.ts";

const LONG = 300_000;

let world: World;
let target: string;

beforeAll(async () => {
  world = await RunWorld.open();
  target = join(world.at.folder, "www");
  // `run` does not create a store, because a misspelt path would otherwise look like an empty store.
  expect((await world.run("datacite")).stderr).toContain("there is no store");
  await runCommand(["harvest", "osf", "--from", "fixtures/payloads/osf", "--store", world.at.store.root]);
}, LONG);
afterAll(() => world?.close());

const outcomes = (run: Awaited<ReturnType<World["run"]>>) =>
  Object.fromEntries((run.summary?.harvests ?? []).map(({ source, outcome }) => [source, outcome]));
const fail = (name: Asked, status = 403) => {
  world.services[name].fault = (response) => {
    response.writeHead(status).end("no");
    return true;
  };
};
const repair = (name: Asked) => {
  world.services[name].fault = () => false;
};

/**
 * Makes the service leave all requests from number `from` on without an answer, so that the command waits until it is killed.
 */
function hang(name: Asked, from: number): void {
  const before = world.services[name].asked.length;
  world.services[name].fault = (_response, n) => n - before >= from;
}

describe("several nights of one store", () => {
  test("share-release run needs a first harvest from the service, because imported files do not start one", async () => {
    const { exitCode, stderr, summary } = await world.run();
    expect({ exitCode, summary }).toEqual({ exitCode: 1, summary: null });
    expect(stderr).toMatch(/no source was harvested from its service .*`share-release run zenodo --since/);
    expect(world.asked()).toEqual([0, 0, 0]);
    const stranger = await world.run("datacite", "--interval", "zenodo=7d");
    expect([stranger.exitCode, stranger.stderr]).toEqual([2, expect.stringContaining("name zenodo too")]);
  });

  test("share-release run builds a release without a source whose harvest failed, and exits with 10", async () => {
    fail("clinicaltrials");
    const also = ["--extra-contract", "2.0.0-beta.1"];
    const run = await world.run("datacite", "clinicaltrials", "--to", target, ...also);
    expect(run.exitCode, run.stderr).toBe(10);
    expect(run.summary).toMatchObject({ outcome: "activated", resumed: false, failed: null });
    expect(outcomes(run)).toEqual({ datacite: "complete", clinicaltrials: "failed" });
    expect(await world.active()).toBe(run.summary?.release?.releaseDigest);
    expect(basename(await readlink(join(target, "current")))).toBe((await world.active())?.replace(":", "-"));
    // Options such as --extra-contract apply only to this build, so a later command must repeat them.
    const published = join(target, "current");
    expect(JSON.parse(await readFile(join(published, "release.json"), "utf8"))).toMatchObject({
      alsoContracts: [also[1]],
    });
    expect(await readdir(join(published, "data"))).toContain("contract-scores");
  });

  test("share-release run builds nothing if more sources fail than the option allows", async () => {
    const before = await world.active();
    const run = await world.run("--max-failed-sources", "0");
    expect([run.exitCode, run.summary?.failed?.step, run.summary?.release]).toEqual([10, "harvest", null]);
    expect(run.stderr).toContain(
      "share-release: harvest: 1 source failed (clinicaltrials), but --max-failed-sources allows at most 0",
    );
    expect(await world.active()).toBe(before);
  });

  test("share-release run harvests only sources that are due in the next run", async () => {
    repair("clinicaltrials");
    const [before, active] = [world.asked(), await world.active()];
    const run = await world.run("--to", target);
    expect(run.exitCode, run.stderr).toBe(0);
    expect(outcomes(run)).toEqual({ datacite: "not-due", clinicaltrials: "complete" });
    expect(world.asked()[0]).toBe(before[0]);
    expect(run.summary).toMatchObject({ outcome: "activated", resumed: true });
    expect(await world.active()).not.toBe(active);
    expect(basename(await readlink(join(target, "current")))).toBe((await world.active())?.replace(":", "-"));
  });

  test("share-release run does nothing if no source is due", async () => {
    const [before, active] = [world.asked(), await world.active()];
    const run = await world.run("--to", target);
    expect([run.exitCode, run.summary?.outcome, world.asked(), await world.active()]).toEqual([
      0,
      "nothing",
      before,
      active,
    ]);
    const words = await runCommand(["run", "datacite", "--store", world.at.store.root]);
    expect([words.exitCode, words.stdout]).toEqual([
      0,
      expect.stringMatching(/^Nothing to do: .*\nharvested {3}datacite: not due/),
    ]);
  });

  test("share-release run fails while another run is active, and resumes a run that was killed during a harvest", async () => {
    hang("datacite", 3);
    const active = await world.active();
    const before = world.services.datacite.asked.length;
    const first = world.start("--interval", "0m", "clinicaltrials=1d");
    const killed = once(first, "close");
    first.stdout?.resume();
    first.stderr?.resume();
    while (world.services.datacite.asked.length - before < 3) await wait(20);
    const second = await world.run();
    expect([second.exitCode, second.stderr]).toEqual([
      1,
      expect.stringContaining(`another run is active in ${world.at.store.root}`),
    ]);
    expect(second.stderr).toContain(`held by process ${first.pid}`);
    first.kill("SIGKILL");
    await killed;
    expect(await world.active()).toBe(active);
    repair("datacite");
    const run = await world.run("--interval", "1d");
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.summary).toMatchObject({ outcome: "activated", resumed: true });
    expect(outcomes(run)).toEqual({ datacite: "complete", clinicaltrials: "not-due" });
  });

  test("share-release run resumes a run that was killed during a build, without harvesting again", async () => {
    const active = await world.active();
    const first = world.start("--interval", "0m");
    const killed = once(first, "close");
    first.stdout?.resume();
    let heard = "";
    first.stderr?.on("data", (chunk: Buffer) => (heard += chunk));
    while (!heard.includes('"normalise"')) await wait(10);
    expect(await lockHolder(world.at.store.root)).not.toBeNull();
    first.kill("SIGKILL");
    await killed;
    expect(await world.active()).toBe(active);
    const before = world.asked();
    const run = await world.run();
    expect(run.exitCode, run.stderr).toBe(0);
    expect([run.summary?.resumed, outcomes(run), world.asked()]).toEqual([
      true,
      { datacite: "not-due", clinicaltrials: "not-due" },
      before,
    ]);
    expect(run.summary?.release).not.toBeNull();
  });

  test("share-release run leaves the release active that a rollback activated if no source is due", async () => {
    const left = await world.active();
    const back = await runCommand(["release", "rollback", "--store", world.at.store.root]);
    expect(back.exitCode, back.stderr).toBe(0);
    const chosen = await world.active();
    expect(chosen).not.toBe(left);
    const run = await world.run();
    expect([run.exitCode, run.summary?.outcome, await world.active()]).toEqual([0, "nothing", chosen]);
  });
});

describe("releases that cannot be activated", () => {
  let digest: string;

  test("a release of share-release run is not published if a gate fails, and the next run reports the same release without a build", async () => {
    const [active, published] = [await world.active(), await readlink(join(target, "current"))];
    // The new source has fewer than 1,000 records, so this gate fails.
    const gates = ["--gate", "firstRecords=1000"];
    const run = await world.run("datacite", "clinicaltrials", "openneuro", "--to", target, ...gates);
    expect([run.exitCode, run.summary?.failed?.step], run.stderr).toEqual([12, "gates"]);
    expect(run.stderr).toMatch(
      /share-release: gates: sha256:[0-9a-f]{64} is built and stored but not activated, because it does not pass /,
    );
    expect(run.summary?.gated.length).toBeGreaterThan(0);
    expect(run.summary).toMatchObject({ outcome: "failed", release: { built: true } });
    digest = run.summary?.release?.releaseDigest ?? "";
    const again = await world.run("datacite", "clinicaltrials", "--to", target, ...gates);
    expect([again.exitCode, again.summary?.release]).toEqual([
      12,
      expect.objectContaining({ releaseDigest: digest, built: false }),
    ]);
    expect(await world.active()).toBe(active);
    expect(await readlink(join(target, "current"))).toBe(published);
  });

  test("a release of share-release run is left inactive if verification fails, even with --force, or if it cannot be published", async () => {
    const active = await world.active();
    const forced = ["datacite", "--force", "it was looked at"];
    const file = join(world.at.store.release(digest), "CITATION.cff");
    const whole = await readFile(file);
    await rm(file);
    await writeFile(file, "cff-version: 1.2.0\n");
    const damaged = await world.run(...forced);
    expect([damaged.exitCode, damaged.summary?.failed?.step]).toEqual([13, "verify"]);
    await rm(file);
    await writeFile(file, whole);
    const closed = join(world.at.folder, "a-file");
    await writeFile(closed, "");
    const nowhere = await world.run(...forced, "--to", join(closed, "www"));
    expect([nowhere.exitCode, nowhere.summary?.failed?.step], nowhere.stderr).toEqual([14, "publish"]);
    expect(await world.active()).toBe(active);
    const run = await world.run(...forced, "--to", target);
    // The exit code is 0, because only an earlier run rejected input.
    expect([run.exitCode, run.summary], run.stderr).toEqual([
      0,
      expect.objectContaining({
        outcome: "activated",
        resumed: true,
        release: expect.objectContaining({ releaseDigest: digest, built: false }),
      }),
    ]);
    expect(await world.active()).toBe(digest);
    expect((await readJournal(world.at.store)).entries.at(-1)).toMatchObject({
      event: "activated",
      reason: "it was looked at",
    });
  });
});

describe("killed runs", () => {
  test(
    "the sources of a killed run are harvested by the next run without names, with the --since date of the killed run",
    async () => {
      const own = await RunWorld.open();
      try {
        await runCommand(["harvest", "osf", "--from", "fixtures/payloads/osf", "--store", own.at.store.root]);
        own.services.datacite.fault = (_response, n) => n >= 2;
        const first = own.start("datacite", "clinicaltrials", "--since", "2026-01-02");
        const killed = once(first, "close");
        first.stdout?.resume();
        first.stderr?.resume();
        while (own.services.datacite.asked.length < 3) await wait(20);
        first.kill("SIGKILL");
        await killed;
        expect(own.asked()[1]).toBe(0);
        own.services.datacite.fault = () => false;
        const run = await own.run();
        expect(run.exitCode, run.stderr).toBe(0);
        expect(outcomes(run)).toEqual({ datacite: "complete", clinicaltrials: "complete" });
        const named = (name: Asked) =>
          own.services[name].asked.map(({ url }) => decodeURIComponent(url.href).includes("2026-01-02"));
        expect(named("clinicaltrials")).toContain(true);
        // A --since date that was given for some sources does not apply to others.
        const left = resumeOrStart(null, new Date());
        await writeUnfinishedRun(own.at.store, { ...left, sources: ["clinicaltrials"], since: "2026-01-02" });
        own.services.openneuro.fault = (response) => {
          response.writeHead(403).end("no");
          return true;
        };
        expect((await own.run("openneuro", "--max-failed-sources", "0")).exitCode).toBe(10);
        expect(new Set(named("openneuro"))).toEqual(new Set([false]));
      } finally {
        await own.close();
      }
    },
    LONG,
  );
});
