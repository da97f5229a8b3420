/** Tests the systemd units: systemd accepts them, and their unchanged command lines build a release that nginx can read. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NO_PROGRESS, writeCheckpoint } from "../../pipeline/1-harvest/session.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import { closedToOthers } from "../../releases/doctor/releases.ts";
import { listeningAddress } from "../cli/listening-address.ts";
import { harvestBundled, REPOSITORY } from "../support/bundled-corpus.ts";
import { freePort } from "../support/free-port.ts";
import { HAS_NGINX, sampleConfiguration, startNginx } from "../support/nginx.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";

const UNITS = join(REPOSITORY, "docs/operate");
const NIGHTLY = await readFile(join(UNITS, "share-release-build.service"), "utf8");
const SERVER = await readFile(join(UNITS, "share-release.service"), "utf8");

const HAS_SYSTEMD = spawnSync("systemd-analyze", ["--version"]).status === 0;

/** Returns the values of a setting in a unit, in order. */
function settings(unit: string, name: string): string[] {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);
}

/**
 * Returns the command lines of a unit for a shell: with the path of Node on this machine, and `%` in place of systemd's `%%`.
 */
function commandLines(unit: string): string[] {
  return [...settings(unit, "ExecStart"), ...settings(unit, "ExecStopPost")].map((line) =>
    line.replaceAll("%%", "%").replaceAll("/opt/share-release/node_modules/.bin/node", "node"),
  );
}

/**
 * Returns the environment variables of a unit. SHARE_CONFIG names a copy of the sample settings with paths and ports of this
 * machine.
 */
async function makeEnvironment(unit: string, ports: readonly number[] = [0, 0]): Promise<Record<string, string>> {
  const sample = (await readFile(join(UNITS, "settings.toml"), "utf8"))
    .replaceAll("/srv/share", world.store.root)
    .replace("8081", String(ports[0]))
    .replace("9464", String(ports[1]));
  const path = join(world.folder, "settings.toml");
  await writeFile(path, sample);
  const pairs = settings(unit, "Environment").flatMap((line) => line.split(" ").map((pair) => pair.split("=", 2)));
  const values = Object.fromEntries(pairs) as Record<string, string>;
  expect(values.SHARE_CONFIG).toBe("/etc/share-release/settings.toml");
  return {
    PATH: `${join(REPOSITORY, "node_modules/.bin")}:${process.env.PATH}`,
    ...values,
    SHARE_CONFIG: path,
    XDG_CACHE_HOME: (values.XDG_CACHE_HOME ?? "").replace("%C", join(world.folder, "cache")),
  };
}

let world: TemporaryStore;

beforeAll(async () => {
  world = await temporaryStore();
  await chmod(world.folder, 0o755);
  await harvestBundled(world.store, ["clinicaltrials", "zenodo"]);
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** Runs a command line of the nightly unit with the unit's umask, and returns its exit code and output. */
async function nightly(line: string, umask = settings(NIGHTLY, "UMask")[0]) {
  const child = spawn("bash", ["-c", `umask ${umask}; ${line}`], {
    cwd: REPOSITORY,
    env: await makeEnvironment(NIGHTLY),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  return { exitCode: child.exitCode, stdout, stderr };
}

/** Writes the checkpoint of a source as if a complete harvest had just ended. */
async function walked(store: TemporaryStore["store"], source: string): Promise<void> {
  const base = sourceNamed(source)?.walk.base ?? "";
  const progress = { ...NO_PROGRESS, last: { [base]: { started: new Date().toISOString() } } };
  await writeCheckpoint(store.raw(source), { version: 1, progress, pending: null });
}

describe("the systemd unit for the nightly run", () => {
  const [run = "", prune = ""] = commandLines(NIGHTLY);
  const done = [0, ...settings(NIGHTLY, "SuccessExitStatus").map(Number)];

  test("the nightly systemd unit calls the commands run and release prune, and names no sources", async () => {
    expect([run, prune].map((line) => /share-release\.js ((?:release )?\w+)/.exec(line)?.[1])).toEqual([
      "run",
      "release prune",
    ]);
    const { exitCode, stdout } = await nightly(`${run} --help`);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("--since")]);
    const first = await nightly(run);
    expect([first.exitCode, first.stderr]).toEqual([1, expect.stringContaining("Name the sources")]);
    // Pretends that a harvest has just ended, so that the run does not send requests to the service.
    await walked(world.store, "clinicaltrials");
  });

  test("the nightly systemd unit activates a release only after verification, and leaves it readable for nginx", async () => {
    const build = 'node bin/share-release.js build --as-of "$(date -u +%F)" --no-activate';
    const first = await nightly(build);
    expect([done.includes(first.exitCode ?? -1), await currentDigest(world.store)]).toEqual([true, null]);
    const digest = /sha256:[0-9a-f]{64}/.exec(first.stdout)?.[0] ?? "";
    const folder = world.store.release(digest);
    const damaged = join(folder, "CITATION.cff");
    const whole = await readFile(damaged);
    await chmod(damaged, 0o644);
    await writeFile(damaged, "cff-version: 1.2.0\n");
    const rejected = await nightly(run);
    expect([rejected.exitCode, await currentDigest(world.store)]).toEqual([13, null]);
    expect(rejected.stderr).toContain("share-release: verify: sha256:");
    expect(rejected.stdout).toContain("CITATION.cff");
    await writeFile(damaged, whole);
    const taken = await nightly(run);
    expect([done.includes(taken.exitCode ?? -1), await currentDigest(world.store)], taken.stderr).toEqual([
      true,
      digest,
    ]);
    expect(await closedToOthers(folder, world.store.tree(digest))).toBeNull();
    // The leftovers of a killed build stay in place, because the next run resumes from them.
    const stage = join(world.store.work("of-a-killed-build"), "2-normalise");
    await mkdir(stage, { recursive: true });
    for (const killed of ["KILL", "11"]) {
      expect([(await nightly(`export EXIT_STATUS=${killed}; ${prune}`)).exitCode, existsSync(stage)]).toEqual([
        0,
        true,
      ]);
    }
    expect([(await nightly(`export EXIT_STATUS=0; ${prune}`)).exitCode, existsSync(stage)]).toEqual([0, false]);
  }, 300_000);

  test.skipIf(!HAS_NGINX)(
    "the nightly systemd unit lets the sample configuration of nginx serve the new release",
    async () => {
      const digest = await currentDigest(world.store);
      const port = await freePort();
      // The port of the server behind nginx is not in use, so nginx itself must serve the page.
      const sample = sampleConfiguration({ store: world.store.root, port, servers: [await freePort()] });
      const nginx = await startNginx(sample, port, "www-data");
      try {
        const response = await fetch(`http://127.0.0.1:${port}/metrics/live`);
        const page = JSON.parse(await response.text());
        expect([response.status, page._meta?.scoreRelease.releaseDigest]).toEqual([200, digest]);
      } finally {
        await nginx.stop();
      }
    },
  );

  test("the nightly systemd unit makes a release that nginx cannot read if its umask is 0027, and doctor reports that", async () => {
    const digest = (await currentDigest(world.store)) ?? "";
    await rm(world.store.release(digest), { recursive: true });
    await nightly(run, "0027");
    expect(await closedToOthers(world.store.release(digest))).toContain("sha256-");
    const { exitCode, stdout } = await nightly("node bin/share-release.js doctor --json");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/"check":"pages","state":"warning"[^\n]*umask 022/);
  }, 300_000);
});

test("the server of the systemd unit responds, and ends on the unit's KillSignal", async () => {
  const [port, metrics] = [await freePort(), await freePort()];
  const [line = ""] = commandLines(SERVER);
  const [, ...parameters] = line.split(" ");
  const child = spawn(process.execPath, [...parameters, "--json"], {
    cwd: REPOSITORY,
    env: await makeEnvironment(SERVER, [port, metrics]),
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "close");
  expect((await listeningAddress(child)).address).toBe(`http://127.0.0.1:${port}`);
  expect((await fetch(`http://127.0.0.1:${metrics}/ready`)).status).toBe(200);
  child.kill(settings(SERVER, "KillSignal")[0] === "SIGTERM" ? "SIGTERM" : "SIGKILL");
  expect(await ended).toEqual([0, null]);
});

test("systemd is available in CI, and elsewhere a warning says that nothing checked the units", () => {
  if (!HAS_SYSTEMD) console.warn("systemd-analyze is missing: nothing checked that systemd accepts the units");
  expect(HAS_SYSTEMD || process.env.CI === undefined).toBe(true);
});

test("the systemd units pass no options, so that doctor can show their settings", () => {
  expect(
    [SERVER, NIGHTLY].map((unit) => /share-release\.js (.*)$/m.exec(settings(unit, "ExecStart")[0] ?? "")?.[1]),
  ).toEqual(["serve", "run"]);
});

test("the systemd units together are limited to less memory than the machine has, and go on after one process is killed", () => {
  const limits = [SERVER, NIGHTLY].map((unit) => Number.parseInt(settings(unit, "MemoryMax")[0] ?? "", 10));
  expect([SERVER, NIGHTLY].flatMap((unit) => settings(unit, "MemoryMax")).every((limit) => limit.endsWith("%"))).toBe(
    true,
  );
  expect(limits.reduce((sum, each) => sum + each, 0)).toBeLessThan(100);
  expect([SERVER, NIGHTLY].map((unit) => settings(unit, "OOMPolicy"))).toEqual([["continue"], ["continue"]]);
});

test.skipIf(!HAS_SYSTEMD).each(["share-release.service", "share-release-build.service", "share-release-build.timer"])(
  "systemd accepts the unit %s",
  async (name) => {
    await using there = await temporaryStore();
    const unit = await readFile(join(UNITS, name), "utf8");
    // Replaces the path of Node, because a program that this machine lacks does not make the unit invalid.
    const path = join(there.folder, name);
    await writeFile(path, unit.replaceAll("/opt/share-release/node_modules/.bin/node", "/bin/sh"));
    if (name.endsWith(".timer"))
      await writeFile(
        join(there.folder, name.replace(".timer", ".service")),
        NIGHTLY.replaceAll("/opt/share-release/node_modules/.bin/node", "/bin/sh"),
      );
    const said = spawnSync("systemd-analyze", ["verify", "--man=no", path], { encoding: "utf8" }).stderr;
    expect(
      said.split("\n").filter((told) => told.includes(name) && /unknown|invalid|ignoring|failed to parse/i.test(told)),
    ).toEqual([]);
  },
);

test.skipIf(!HAS_SYSTEMD).each(["share-release.service", "share-release-build.service"])(
  "systemd rates the exposure of %s at 4.5 or less, and its memory is limited",
  async (name) => {
    const path = join(UNITS, name);
    const parameters = ["security", "--offline=true", "--no-pager", "--threshold=45", path];
    const { status, stdout } = spawnSync("systemd-analyze", parameters, { encoding: "utf8" });
    expect([status, status === 0 ? "" : stdout]).toEqual([0, ""]);
    expect(settings(await readFile(path, "utf8"), "MemoryMax")).toHaveLength(1);
  },
);
