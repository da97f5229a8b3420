/**
 * Prepared tables, which a server derives from a release and keeps in the store: made once, used by every later server, and
 * made again if they are damaged.
 */

import { spawn } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { activate } from "../../pipeline/store/releases.ts";
import { ABANDONED_MILLISECONDS } from "../../pipeline/store/signs-of-life.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import { examine } from "../../releases/doctor/index.ts";
import { prune } from "../../releases/prune.ts";
import { verify } from "../../releases/verify/index.ts";
import { ActiveRelease } from "../../server/read/active-release.ts";
import type { OpenRelease } from "../../server/read/open-release.ts";
import { makeScratch } from "../../server/read/scratch.ts";
import { recordedEffects } from "../support/effects.ts";
import { endProcess, killWhen } from "../support/killing.ts";
import { MOUNTS, mount, type SmallDisk, smallDisk } from "../support/small-disk.ts";
import { type FilledStore, filledStore, linkedStore, type TemporaryStore } from "../support/temporary-store.ts";
import { pathsIn } from "../support/tree.ts";
import { askList } from "./ask-list.ts";
import { openRelease } from "./described-release.ts";

const FILES = ["narrow.duckdb", "prepared.json", "rows.sqlite", "sorted.duckdb", "wide.duckdb"];
const CHILD = fileURLToPath(new URL("./scratch-child.ts", import.meta.url));

let original: FilledStore;
let digest = "";
let expected: string[];

beforeAll(async () => {
  original = await filledStore({
    generated: { datacite: 40, zenodo: 20, seed: 3 },
    builds: [{}, { asOf: "2026-11-02", activate: false }],
  });
  [digest = ""] = original.digests;
  // The store has few files, because each test links them and a server does not need the others.
  for (const part of ["work", "raw"]) rmSync(join(original.store.root, part), { recursive: true });
  await using copy = await linkedStore(original.store);
  expected = (await opened(copy.store)).answers;
}, 300_000);

afterAll(() => original?.[Symbol.asyncDispose]());

/** Queries each kind of prepared table once, and returns the results. */
async function askPreparedTables(release: OpenRelease): Promise<string[]> {
  const asked = [
    await askList(release, "records", "search=data&limit=100&sortBy=title"),
    await askList(release, "authors", "limit=100&sortBy=sIndex"),
    await askList(release, "institutions", "limit=100"),
    await askList(release, "geography", "limit=100"),
  ];
  return asked.map(({ text }) => text);
}

/** Opens a release, queries it, and closes it. Returns the responses, and whether tables had to be prepared. */
async function opened(store: Store): Promise<{ answers: string[]; hasPrepared: boolean }> {
  let hasPrepared = false;
  const note = (file: unknown) => {
    hasPrepared ||= String(file).endsWith("/records.sql");
  };
  subscribe("share-release:sql-file", note);
  const release = await openRelease(store, digest);
  try {
    return { answers: await askPreparedTables(release), hasPrepared };
  } finally {
    unsubscribe("share-release:sql-file", note);
    await release.close();
  }
}

/** The first four bytes of a Zstandard frame, which is how rows are compressed. */
const FRAME = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Changes one bit in each Zstandard frame, so that its checksum no longer matches. */
function damageFrames(bytes: Buffer): Buffer {
  for (let at = bytes.indexOf(FRAME); at >= 0; at = bytes.indexOf(FRAME, at + 1)) {
    bytes.writeUInt8(bytes.readUInt8(at + 40) ^ 1, at + 40);
  }
  return bytes;
}

const idIn = (store: Store): string =>
  JSON.parse(readFileSync(join(store.prepared(digest), "prepared.json"), "utf8")).id;

test("opening a release again uses the tables that were prepared the first time, with the same results", async () => {
  await using copy = await linkedStore(original.store);
  expect(await opened(copy.store)).toEqual({ answers: expected, hasPrepared: true });
  expect(readdirSync(copy.store.prepared(digest)).sort()).toEqual(FILES);
  const id = idIn(copy.store);
  expect(await opened(copy.store)).toEqual({ answers: expected, hasPrepared: false });
  expect([idIn(copy.store), readdirSync(copy.store.queries(""))]).toEqual([id, []]);
});

describe("prepared tables that cannot be used", () => {
  let copy: TemporaryStore;
  beforeAll(async () => {
    copy = await linkedStore(original.store);
    await opened(copy.store);
  });
  afterAll(() => copy[Symbol.asyncDispose]());

  const statedAs = (changed: object) => (folder: string) => {
    const path = join(folder, "prepared.json");
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...changed }));
  };
  const truncated = (name: string) => (folder: string) => truncateSync(join(folder, name), 20_000);
  const flipped = (name: string, at: number) => (folder: string) => {
    const bytes = readFileSync(join(folder, name));
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    writeFileSync(join(folder, name), bytes);
  };
  test.each([
    { name: "another version of the program made them", damage: statedAs({ program: "0".repeat(64) }) },
    { name: "they are those of another release", damage: statedAs({ releaseDigest: `sha256:${"0".repeat(64)}` }) },
    { name: "their description is not JSON", damage: (folder) => writeFileSync(join(folder, "prepared.json"), "{") },
    { name: "their description is missing", damage: (folder) => rmSync(join(folder, "prepared.json")) },
    { name: "a file is missing", damage: (folder) => rmSync(join(folder, "wide.duckdb")) },
    { name: "the folder is missing", damage: (folder) => rmSync(folder, { recursive: true }) },
    { name: "a narrow table is cut off", damage: truncated("narrow.duckdb") },
    { name: "a sorted table is cut off", damage: truncated("sorted.duckdb") },
    { name: "a wide table is cut off", damage: truncated("wide.duckdb") },
    { name: "the rows are cut off", damage: truncated("rows.sqlite") },
    { name: "the header has another byte", damage: flipped("wide.duckdb", 100) },
    { name: "the header of the rows has another byte", damage: flipped("rows.sqlite", 3) },
  ] satisfies { name: string; damage: (folder: string) => void }[])(
    "tables are made again if $name",
    async ({ damage }) => {
      damage(copy.store.prepared(digest));
      expect(await opened(copy.store)).toEqual({ answers: expected, hasPrepared: true });
      expect(await opened(copy.store)).toEqual({ answers: expected, hasPrepared: false });
      expect(readdirSync(copy.store.queries(""))).toEqual([]);
    },
  );

  const DAMAGED = [
    { found: "a damaged block", names: ["narrow.duckdb", "wide.duckdb"], error: "Corrupt database file" },
    { found: "a changed byte in the rows", names: ["rows.sqlite"], error: "are damaged" },
  ];
  test.each(DAMAGED)("a running server makes its tables again if a query finds $found", async ({ names, error }) => {
    const id = idIn(copy.store);
    const effects = { ...recordedEffects(), sleep: () => sleep(5) };
    const options = { pollMilliseconds: 5, queryMemory: "256MB", queryThreads: 2 };
    const active = await ActiveRelease.follow(copy.store, options, effects);
    // The release is open, and has read no more than the beginning of each file.
    for (const name of names) {
      const path = join(copy.store.prepared(digest), name);
      const bytes = readFileSync(path);
      writeFileSync(path, name === "rows.sqlite" ? damageFrames(bytes) : bytes.fill(7, 3 * 4096));
    }
    await expect(active.use(askPreparedTables)).rejects.toThrow(error);
    let answers: string[] | null = null;
    for (let tries = 0; answers === null && tries < 1000; tries += 1) {
      await sleep(20);
      answers = await active.use(askPreparedTables).catch(() => null);
    }
    expect(answers).toEqual(expected);
    await active.close();
    expect(idIn(copy.store)).not.toBe(id);
    expect((await opened(copy.store)).hasPrepared).toBe(false);
  });
});

describe("several servers", () => {
  const start = (store: Store) =>
    spawn(process.execPath, [CHILD, store.root, digest], { stdio: ["pipe", "pipe", "inherit"] });

  test("servers that open a release at the same time leave one complete set of prepared tables, which all use", async () => {
    await using copy = await linkedStore(original.store);
    const children = [start(copy.store), start(copy.store)];
    await Promise.all(children.map(({ stdout }) => once(stdout, "data")));
    expect(await opened(copy.store)).toEqual({ answers: expected, hasPrepared: false });
    await Promise.all(
      children.map(async (child) => {
        child.stdin.end();
        await once(child, "exit");
      }),
    );
    expect(readdirSync(copy.store.prepared(""))).toEqual([digest.replace(":", "-")]);
    expect(readdirSync(copy.store.queries(""))).toEqual([]);
  });

  const inScratch = (store: Store, name: string) =>
    existsSync(store.queries("")) &&
    readdirSync(store.queries("")).some((run) => existsSync(join(store.queries(run), "prepared", name)));
  test.each([
    { name: "the first file is made", isDue: (store: Store) => inScratch(store, "narrow.duckdb") },
    { name: "its tables are already in the store", isDue: (store: Store) => existsSync(store.prepared(digest)) },
  ])("a server does not use incomplete tables of another that was killed when $name", async ({ isDue }) => {
    await using copy = await linkedStore(original.store);
    const child = start(copy.store);
    expect(await killWhen(child, () => isDue(copy.store))).toBe(true);
    const isInStore = existsSync(copy.store.prepared(digest));
    expect(await opened(copy.store)).toEqual({ answers: expected, hasPrepared: !isInStore });
    await endProcess(child);
  });
});

test("tables are not used if their server was killed before it moved them from its temporary folder into the store", async () => {
  await using copy = await linkedStore(original.store);
  await opened(copy.store);
  const left = copy.store.queries("killed");
  mkdirSync(left, { recursive: true });
  renameSync(copy.store.prepared(digest), join(left, "prepared"));
  expect(await opened(copy.store)).toEqual({ answers: expected, hasPrepared: true });
});

test("a later server removes the unfinished tables of a killed one", async () => {
  await using copy = await linkedStore(original.store);
  const abandoned = copy.store.queries("killed");
  mkdirSync(join(abandoned, "prepared"), { recursive: true });
  const before = new Date(Date.now() - ABANDONED_MILLISECONDS - 60_000);
  utimesSync(abandoned, before, before);
  await (await makeScratch(copy.store)).remove();
  expect(existsSync(abandoned)).toBe(false);
});

describe.skipIf(!MOUNTS)("a server whose store is read-only", () => {
  test.each([
    { name: "prepares tables in a folder outside it", isFirst: true },
    { name: "uses the tables that the store already has", isFirst: false },
  ])("a server whose store is read-only $name", async ({ isFirst }) => {
    using disk = smallDisk("64m");
    await using copy = await linkedStore(original.store);
    if (!isFirst) await opened(copy.store);
    const store = openStore(join(disk.folder, "store"));
    cpSync(copy.store.root, store.root, { recursive: true, verbatimSymlinks: true });
    mount(["-o", "remount,ro", disk.folder]);
    expect(await opened(store)).toEqual({ answers: expected, hasPrepared: isFirst });
    expect(existsSync(store.prepared(digest))).toBe(!isFirst);
    expect(await loggedWhileFollowing(store)).toEqual([]);
  });
});

/** Returns the errors that a server logs while it follows a store for a while. Expects that it serves the release. */
async function loggedWhileFollowing(store: Store) {
  const effects = { ...recordedEffects(), sleep: () => sleep(5) };
  const options = { pollMilliseconds: 5, queryMemory: "256MB", queryThreads: 2 };
  const active = await ActiveRelease.follow(store, options, effects);
  await active.announce();
  await sleep(200);
  expect(active.digest).toBe(digest);
  await active.close();
  return effects.logged.filter(({ level }) => level === "error");
}

describe.skipIf(!MOUNTS)("a server on a full disk", () => {
  const filledDisk = async (fill: (disk: SmallDisk) => void) => {
    const disk = smallDisk("64m");
    await using copy = await linkedStore(original.store);
    await opened(copy.store);
    const store = openStore(join(disk.folder, "store"));
    cpSync(copy.store.root, store.root, { recursive: true, verbatimSymlinks: true });
    fill(disk);
    return { store, [Symbol.dispose]: () => disk[Symbol.dispose]() };
  };

  test("a server on a full disk uses the tables that the store already has, and leaves no folder in it", async () => {
    using full = await filledDisk((disk) => disk.fill());
    expect(await opened(full.store)).toEqual({ answers: expected, hasPrepared: false });
    expect(readdirSync(full.store.queries(""))).toEqual([]);
  });

  test("a server on a disk without free inodes serves the release, and logs once what to do", async () => {
    using full = await filledDisk(({ folder }) => {
      const { files, ffree } = statfsSync(folder);
      mount(["-o", `remount,nr_inodes=${files - ffree}`, folder]);
    });
    expect(await loggedWhileFollowing(full.store)).toMatchObject([
      { event: "release-not-followed", advice: expect.stringContaining("release prune --keep 1") },
    ]);
  });
});

test("tables that are prepared in a temporary folder on another disk are used there, and not moved into the store", async () => {
  if (!MOUNTS) return;
  using disk = smallDisk("64m");
  await using copy = await linkedStore(original.store);
  symlinkSync(disk.folder, copy.store.queries(""));
  expect(await opened(copy.store)).toEqual({ answers: expected, hasPrepared: true });
  expect(existsSync(copy.store.prepared(digest))).toBe(false);
  expect(readdirSync(disk.folder)).toEqual([]);
});

test("`release prune` removes prepared tables of releases that no server uses", async () => {
  await using copy = await linkedStore(original.store);
  const { store } = copy;
  await opened(store);
  await prune(store, 2, false);
  expect(readdirSync(store.prepared(""))).toEqual([digest.replace(":", "-")]);
  await activate(store, original.digests[1] ?? "");
  await prune(store, 2, true);
  expect(readdirSync(store.prepared(""))).toEqual([digest.replace(":", "-")]);
  expect((await prune(store, 2, false)).removed).toEqual([]);
  expect(readdirSync(store.prepared(""))).toEqual([]);
});

test("prepared tables do not change a release: its folder stays the same, and `verify` and `doctor` report the same", async () => {
  await using copy = await linkedStore(original.store);
  const { store } = copy;
  const observed = async () => (await examine(store, new Date())).map(({ check, state }) => [check, state]);
  const before = [await observed(), await pathsIn(store.release(digest))];
  await opened(store);
  expect([await observed(), await pathsIn(store.release(digest))]).toEqual(before);
  expect((await verify(store, digest, { threads: 2, memory: "512MB" }, recordedEffects())).findings).toEqual([]);
});
