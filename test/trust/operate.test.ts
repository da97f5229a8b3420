/** Tests the operation of a store: keys, one build at a time, pruning, the doctor, and disks that are full or read-only. */

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lockStore } from "../../pipeline/store/locks.ts";
import { activate, currentDigest, moveLink, readReceipt } from "../../pipeline/store/releases.ts";
import { newReleaseKey } from "../../pipeline/store/signatures.ts";
import { ABANDONED_MILLISECONDS, SIGN_OF_LIFE } from "../../pipeline/store/signs-of-life.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import { examine } from "../../releases/doctor/index.ts";
import { releaseLog } from "../../releases/log.ts";
import { holdRelease, prune } from "../../releases/prune.ts";
import { makeScratch } from "../../server/read/scratch.ts";
import { accountsBeside, hide } from "../hidden/hidden-world.ts";
import { buildRelease } from "../support/build-release.ts";
import { runHosted } from "../support/command-host.ts";
import { jsonLines, startCommand } from "../support/command-line.ts";
import { makeTrees } from "../support/page-trees.ts";
import { MOUNTS, mount } from "../support/small-disk.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { asFormat1 } from "./format-1.ts";
import { at, SOURCES, signedWorld, type World } from "./world.ts";

const DAYS = ["2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04"];

/** A time after the publication of all releases. */
const NOW = new Date("2026-11-30T00:00:00.000Z");

let world: World;

beforeAll(async () => {
  world = await signedWorld(DAYS);
  await rm(world.store.work(""), { recursive: true, force: true });
});

afterAll(() => world[Symbol.asyncDispose]());

const digestAt = (place: number) => at(world.digests, place);

async function listReleaseNumbers(store: Store): Promise<number[]> {
  const names = await readdir(store.releases);
  return names.map((name) => world.digests.indexOf(name.replace("-", ":"))).sort();
}

describe("share-release key new", () => {
  test("key new writes a private key that only its owner can read and that is never overwritten, and publishes only the public part", async () => {
    await using empty = await temporaryStore();
    const out = join(empty.folder, "secret/key.json");
    const made = await runHosted(["key", "new", "--out", out, "--json", "--store", empty.store.root]);
    expect(made.exitCode).toBe(0);
    const [{ kid }] = jsonLines(made.stdout) as [{ kid: string }];
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    const { d } = JSON.parse(await readFile(out, "utf8"));
    const published = await readFile(empty.store.publicKeys, "utf8");
    expect(JSON.parse(published)).toMatchObject({ keys: [{ kid, kty: "OKP", crv: "Ed25519" }] });
    expect(published).not.toContain(d);
    const again = await runHosted(["key", "new", "--out", out, "--store", empty.store.root]);
    expect({ exitCode: again.exitCode, said: again.stderr.includes("never overwritten") }).toEqual({
      exitCode: 1,
      said: true,
    });
    await runHosted(["key", "new", "--store", empty.store.root]);
    expect(JSON.parse(await readFile(empty.store.publicKeys, "utf8")).keys).toHaveLength(2);
    expect((await stat(empty.store.privateKeys)).mode & 0o777).toBe(0o700);
  });

  test("key new never makes a key id that looks like an option, because it begins with a hyphen", async () => {
    const keys = await Promise.all(Array.from({ length: 600 }, newReleaseKey));
    expect(keys.filter(({ kid }) => kid.startsWith("-"))).toEqual([]);
  });

  test("key new makes a key that leaves release digests as they are, and that cannot sign while others can read its file", async () => {
    await using copy = await temporaryStore(world.store);
    const plain = await buildRelease(copy.store, { asOf: at(DAYS, 0), sources: SOURCES });
    expect(plain).toMatchObject({ created: false, receipt: { releaseDigest: digestAt(0) } });
    await using fresh = await temporaryStore();
    await symlink(join(world.store.root, "raw"), join(await made(fresh.store.root), "raw"));
    const unsigned = await buildRelease(fresh.store, { asOf: at(DAYS, 0), sources: SOURCES });
    expect(unsigned.receipt).toMatchObject({ releaseDigest: digestAt(0), signature: null });
    const open = join(copy.folder, "open.json");
    await writeFile(open, JSON.stringify(world.key), { mode: 0o644 });
    const rejected = await runHosted(["build", "--as-of", "2026-11-05", "--sign", open, "--store", copy.store.root]);
    expect({ exitCode: rejected.exitCode, said: rejected.stderr.includes("chmod 600") }).toEqual({
      exitCode: 1,
      said: true,
    });
  });

  test("a store with a key requires --unsigned for an unsigned release, about which doctor warns", async () => {
    await using copy = await temporaryStore(world.store);
    const on = (...words: readonly string[]) => runHosted([...words, "--store", copy.store.root]);
    await on("key", "new");
    const build = ["build", "--as-of", "2026-11-05", "--source", "zenodo", "--threads", "1"];
    expect(await on(...build)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--sign or SHARE_SIGNING_KEY, or build an unsigned release with --unsigned."),
    });
    expect(await on("doctor")).toMatchObject({ stdout: expect.not.stringContaining("is not signed") });
    expect(await on(...build, "--unsigned")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("signature   none"),
    });
    expect(await on("doctor")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^warning +current +.*is not signed, in a store that signs/m),
    });
  });
});

async function made(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  return folder;
}

describe("one build at a time", () => {
  test("a second build or a prune is rejected while a build runs, and the error names its process, but activation works", async () => {
    await using copy = await temporaryStore(world.store);
    const unlock = await lockStore(copy.store, "this test");
    const rejected = await runHosted(["build", "--as-of", "2026-11-05", "--store", copy.store.root]);
    expect(rejected.exitCode).toBe(1);
    expect(rejected.stderr).toContain(`this build must wait`);
    expect(rejected.stderr).toContain(`process ${process.pid}`);
    await expect(prune(copy.store, 1, false)).rejects.toThrow("pruning must wait");
    await activate(copy.store, digestAt(1));
    await unlock();
    expect(await currentDigest(copy.store)).toBe(digestAt(1));
  });

  test("the lock of a killed build is replaced by the next one", async () => {
    await using copy = await temporaryStore(world.store);
    const child = startCommand(["build", "--as-of", "2026-11-05", "--source", "zenodo", "--store", copy.store.root], {
      environment: { SHARE_LOG_LEVEL: "debug" },
    });
    child.stdout?.resume();
    child.stderr?.once("data", () => child.kill("SIGKILL"));
    await once(child, "close");
    expect(await readdir(copy.store.root)).toContain("lock");
    expect(new Set(await findStates(copy.store, "locks"))).toEqual(new Set(["note"]));
    const { created } = await buildRelease(copy.store, { asOf: "2026-11-05", sources: SOURCES });
    expect(created).toBe(true);
    expect(await readdir(copy.store.root)).not.toContain("lock");
  });
});

describe("share-release release prune", () => {
  test("prune keeps the newest release, the active one, the served one and those that a process reads", async () => {
    await using copy = await temporaryStore(world.store);
    await activate(copy.store, digestAt(1));
    await moveLink(copy.store.serving, copy.store.release(digestAt(0)));
    const server = await makeScratch(copy.store);
    const planned = await prune(copy.store, 1, true);
    expect(planned.removed).toEqual([digestAt(2)]);
    expect(await listReleaseNumbers(copy.store)).toEqual([0, 1, 2, 3]);
    const letGo = await holdRelease(copy.store, digestAt(2));
    expect((await prune(copy.store, 1, false)).kept).toEqual([
      { releaseDigest: digestAt(0), why: "served" },
      { releaseDigest: digestAt(1), why: "active" },
      { releaseDigest: digestAt(2), why: "held" },
    ]);
    await letGo();
    expect((await prune(copy.store, 1, false)).removed).toEqual([digestAt(2)]);
    expect(await listReleaseNumbers(copy.store)).toEqual([0, 1, 3]);
    await server.remove();
  });

  test("prune removes a release that only a stopped or killed server used", async () => {
    await using copy = await temporaryStore(world.store);
    await moveLink(copy.store.serving, copy.store.release(digestAt(0)));
    const sign = join(await made(copy.store.queries("killed")), SIGN_OF_LIFE);
    await writeFile(sign, "");
    expect((await prune(copy.store, 1, true)).kept).toEqual([{ releaseDigest: digestAt(0), why: "served" }]);
    const before = new Date(Date.now() - ABANDONED_MILLISECONDS - 60_000);
    for (const path of [sign, dirname(sign)]) await utimes(path, before, before);
    expect((await prune(copy.store, 1, true)).kept).toEqual([]);
    await rm(copy.store.queries(""), { recursive: true });
    expect((await prune(copy.store, 1, false)).kept).toEqual([]);
    expect(await listReleaseNumbers(copy.store)).toEqual([3]);
  });

  test("prune keeps a release whose history another release continues", async () => {
    await using copy = await temporaryStore(world.store);
    const last = await buildRelease(
      copy.store,
      { asOf: "2026-11-05", sources: SOURCES, history: false },
      "2026-11-05T12:00:00.000Z",
    );
    const { removed, kept } = await prune(copy.store, 1, false);
    expect(removed).toEqual([digestAt(0), digestAt(1), digestAt(2)]);
    expect(kept).toEqual([{ releaseDigest: digestAt(3), why: "history" }]);
    expect(await currentDigest(copy.store)).toBe(last.receipt.releaseDigest);
  });

  test("a pruned release stays in the chain, and a rollback skips it", async () => {
    await using copy = await temporaryStore(world.store);
    const { exitCode, stdout } = await runHosted([
      "release",
      "prune",
      "--keep",
      "1",
      "--json",
      "--store",
      copy.store.root,
    ]);
    expect({ exitCode, lines: jsonLines(stdout) }).toMatchObject({ exitCode: 0, lines: [{ kept: [], dryRun: false }] });
    expect(await listReleaseNumbers(copy.store)).toEqual([3]);
    const { chain, faults } = await releaseLog(copy.store, digestAt(3), world.keys);
    expect(chain.map(({ state, faults: own }) => ({ state, own }))).toEqual([
      { state: "here", own: [] },
      ...[2, 1, 0].map(() => ({ state: "pruned", own: [] })),
    ]);
    expect(faults).toEqual([]);
    const back = await runHosted(["release", "rollback", "--store", copy.store.root]);
    expect({ exitCode: back.exitCode, said: back.stderr.includes("is missing") }).toEqual({ exitCode: 1, said: true });
  });
});

/** Changes a receipt to that of a release that was built on a machine with a wrong clock. */
async function publishInFuture(store: Store, digest: string): Promise<void> {
  const path = join(store.release(digest), "release.json");
  const receipt = JSON.parse(await readFile(path, "utf8"));
  await writeFile(path, JSON.stringify({ ...receipt, publishedAt: "2999-01-01T00:00:00.000Z" }));
}

describe("share-release account hide", () => {
  const hideNobody = async (store: Store) => (await accountsBeside(store)).close();
  const hideSomebody = async (store: Store) => {
    const accounts = await accountsBeside(store);
    const id = `a${"1".repeat(24)}`;
    await hide(accounts.db, [{ id, slug: id }]);
    await accounts.close();
  };
  const on = (store: Store) =>
    runHosted(["account", "hide", "--unsigned", "--threads", "1", "--json", "--store", store.root], {
      environment: { DATABASE_URL: "" },
    });

  test("account hide keeps only the active release, also if another was published in the future or was served", async () => {
    await using copy = await temporaryStore(world.store);
    await publishInFuture(copy.store, digestAt(3));
    await activate(copy.store, digestAt(1));
    await moveLink(copy.store.serving, copy.store.release(digestAt(0)));
    await hideSomebody(copy.store);
    const letGo = await holdRelease(copy.store, digestAt(2));
    const first = await on(copy.store);
    await letGo();
    const active = await currentDigest(copy.store);
    expect([first.exitCode, jsonLines(first.stdout).at(-1)]).toMatchObject([
      3,
      { releaseDigest: active, kept: [{ releaseDigest: digestAt(2), why: "held" }] },
    ]);
    const second = await on(copy.store);
    expect([second.exitCode, jsonLines(second.stdout).at(-1)]).toMatchObject([
      0,
      { releaseDigest: active, removed: [digestAt(2)], kept: [] },
    ]);
    expect(await readdir(copy.store.releases)).toEqual([String(active).replace(":", "-")]);
  });

  test("account hide builds and removes nothing if nobody is hidden", async () => {
    await using copy = await temporaryStore(world.store);
    await hideNobody(copy.store);
    const { exitCode, stdout } = await on(copy.store);
    expect([exitCode, jsonLines(stdout).at(-1)]).toMatchObject([0, { releaseDigest: digestAt(3), removed: [] }]);
    expect(await listReleaseNumbers(copy.store)).toEqual([0, 1, 2, 3]);
  });
});

async function findStates(store: Store, check: string): Promise<string[]> {
  return (await examine(store, NOW)).filter((each) => each.check === check).map(({ state }) => state);
}

describe("share-release doctor", () => {
  // Opens the temporary folder, because doctor would warn that nginx cannot read a store in it.
  beforeAll(() => chmod(world.folder, 0o755));

  test("doctor finds nothing wrong with a sound store", async () => {
    const wrong = (await examine(world.store, NOW)).filter(({ state }) => state === "fault" || state === "warning");
    expect(wrong).toEqual([]);
  });

  const ILLS: readonly {
    name: string;
    make: (store: Store) => Promise<unknown>;
    check: string;
    state: string;
    names: () => string;
  }[] = [
    {
      name: "pages that only their owner and group can read",
      make: async (store) => {
        await chmod(dirname(store.root), 0o755);
        await makeTrees(store, digestAt(3));
        await chmod(store.tree(digestAt(3)), 0o750);
      },
      check: "pages",
      state: "warning",
      names: () => `pages/${digestAt(3).replace(":", "-")}`,
    },
    {
      name: "an unfinished tree of pages",
      make: (store) => mkdir(`${store.tree(digestAt(3))}.unfinished`, { recursive: true }),
      check: "leftovers",
      state: "warning",
      names: () => `pages/${digestAt(3).replace(":", "-")}.unfinished`,
    },
    {
      name: "a release of format 1, and how to convert it",
      make: (store) => asFormat1(store, digestAt(0)),
      check: "releases",
      state: "warning",
      names: () => "is of format 1",
    },
    {
      name: "a release without a receipt",
      make: (store) => rm(join(store.release(digestAt(0)), "release.json")),
      check: "releases",
      state: "warning",
      names: () => basename(world.store.release(digestAt(0))),
    },
    {
      name: "a damaged receipt",
      make: (store) => writeFile(join(store.release(digestAt(0)), "release.json"), "{"),
      check: "releases",
      state: "fault",
      names: () => "is damaged",
    },
    {
      name: "a release that was published in the future",
      make: (store) => publishInFuture(store, digestAt(0)),
      check: "releases",
      state: "warning",
      names: () => "was published in the future, at 2999-",
    },
    {
      name: "a broken link",
      make: (store) => rm(store.release(digestAt(3)), { recursive: true }),
      check: "current",
      state: "fault",
      names: () => "which is not a complete release",
    },
    {
      name: "a link that was moved by hand",
      make: (store) => moveLink(store.current, store.release(digestAt(0))),
      check: "journal",
      state: "warning",
      names: () => "another program changed the link",
    },
    {
      name: "a work folder of a killed build",
      make: (store) => mkdir(store.work("0123456789abcdef"), { recursive: true }),
      check: "leftovers",
      state: "warning",
      names: () => "work/0123456789abcdef",
    },
    {
      name: "an unfinished cached part",
      make: (store) => mkdir(join(store.cache, "normalised/zenodo/0.x.tmp"), { recursive: true }),
      check: "leftovers",
      state: "warning",
      names: () => "cache/normalised/zenodo/0.x.tmp",
    },
    {
      name: "a partly removed release",
      make: (store) => mkdir(join(store.releases, "sha256-x.removed")),
      check: "leftovers",
      state: "warning",
      names: () => "sha256-x.removed",
    },
    {
      name: "a temporary link",
      make: (store) => symlink("nowhere", `${store.current}.999999.tmp`),
      check: "leftovers",
      state: "warning",
      names: () => "current.999999.tmp",
    },
    {
      name: "a private key that others can read",
      make: async (store) => writeFile(join(await made(store.privateKeys), "k.json"), "{}", { mode: 0o644 }),
      check: "secrets",
      state: "fault",
      names: () => "for the secret file",
    },
  ];

  for (const { name, make, check, state, names } of ILLS) {
    test(`doctor reports ${name}`, async () => {
      await using copy = await temporaryStore(world.store);
      await make(copy.store);
      expect(await examine(copy.store, NOW)).toContainEqual(
        expect.objectContaining({ check, state, detail: expect.stringContaining(names()), advice: expect.any(String) }),
      );
    });
  }

  test("doctor exits with 0 for a sound store, and with 1 for a missing store", async () => {
    const sound = await runHosted(["doctor", "--json", "--store", world.store.root]);
    expect(sound.exitCode).toBe(0);
    expect(jsonLines(sound.stdout).at(-1)).toMatchObject({ faults: 0, warnings: 0 });
    const none = await runHosted(["doctor", "--store", join(world.folder, "nowhere")]);
    expect({ exitCode: none.exitCode, said: none.stdout.includes("there is no store") }).toEqual({
      exitCode: 1,
      said: true,
    });
  });
});

describe.skipIf(!MOUNTS)("a separate disk", () => {
  let disk: string;

  beforeAll(async () => {
    disk = await mkdtemp(join(tmpdir(), "share-disk-"));
    mount(["-t", "tmpfs", "-o", "size=6m", "tmpfs", disk]);
    await symlink(join(world.store.root, "raw"), join(await made(join(disk, "store")), "raw"));
  });

  afterAll(async () => {
    spawnSync("umount", [disk]);
    await rm(disk, { recursive: true, force: true });
  });

  const on = (parameters: readonly string[]) => runHosted([...parameters, "--store", join(disk, "store")]);
  const BUILD = ["build", "--as-of", "2026-11-01", "--source", "zenodo", "--threads", "2"];

  test("a build on a separate disk says in one line what to do if the disk is full or read-only, and later resumes to the same release", async () => {
    const store = openStore(join(disk, "store"));
    const filler = join(disk, "filler");
    await writeFile(filler, Buffer.alloc(6 * 2 ** 20 - 2 ** 16));
    const full = await on(BUILD);
    expect(full.exitCode).toBe(1);
    expect(lastLine(full.stderr)).toMatch(
      /^share-release: .*the disk is full\. Free some space and run the same command again/,
    );
    expect(await currentDigest(store)).toBeNull();
    await rm(filler);
    const roomy = await on(BUILD);
    expect(roomy.exitCode).toBe(0);
    expect(await currentDigest(store)).toBe(digestAt(0));
    expect((await readReceipt(store.release(digestAt(0))))?.releaseDigest).toBe(digestAt(0));
    expect((await readdir(store.root)).sort()).toEqual(["current", "journal.ndjson", "raw", "releases"]);

    mount(["-o", "remount,ro", disk]);
    for (const command of [
      [...BUILD.slice(0, 2), "2026-11-02"],
      ["release", "rollback"],
      ["release", "prune", "--keep", "1"],
      ["key", "new"],
    ]) {
      const rejected = await on(command);
      expect({ command, exitCode: rejected.exitCode, said: lastLine(rejected.stderr) }).toEqual({
        command,
        exitCode: 1,
        said: expect.stringMatching(/^share-release: .*the file system is read-only\. Mount it for writing/),
      });
    }
    expect((await on(["release", "verify"])).exitCode).toBe(0);
    expect((await on(["release", "log"])).exitCode).toBe(0);
    expect(await findStates(store, "permissions")).toEqual(["warning"]);
  });
});

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
