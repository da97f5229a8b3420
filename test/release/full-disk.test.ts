/** Tests a full disk: `prune` works without free space, and removes leftovers of failed builds. */

import { existsSync, readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readJournal } from "../../pipeline/store/journal.ts";
import { lockFolder } from "../../pipeline/store/locks.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import { buildRelease } from "../support/build-release.ts";
import { type Ended, runCommand } from "../support/command-line.ts";
import { MOUNTS, type SmallDisk, smallDisk } from "../support/small-disk.ts";
import { harvestRecords, temporaryStore } from "../support/temporary-store.ts";
import { zenodoRecord } from "./prolific.ts";

const RECORDS = [zenodoRecord({ id: 99_900_000, keywords: 3 }), zenodoRecord({ id: 99_900_001, sentences: 3 })];
const ONE = { sources: ["zenodo"], rubrics: ["2.0"], history: false } as const;

let disk: SmallDisk;
let store: Store;

beforeEach(async () => {
  if (!MOUNTS) return;
  disk = smallDisk("48m");
  store = openStore(join(disk.folder, "store"));
  await harvestRecords(store, disk.folder, "zenodo", RECORDS);
});
afterEach(() => disk?.[Symbol.dispose]());

const command = (...words: string[]): Promise<Ended> => runCommand([...words, "--store", store.root]);
const workFolders = () => (existsSync(store.work("")) ? readdirSync(store.work("")) : []);

test.skipIf(!MOUNTS)(
  "a build that fails on a full disk can be repeated after prune removed its work and an old release",
  async () => {
    const older = (await buildRelease(store, { ...ONE, asOf: "2026-11-01" })).receipt.releaseDigest;
    const newer = (await buildRelease(store, { ...ONE, asOf: "2026-11-02" }, "2026-11-03T09:30:00.000Z")).receipt
      .releaseDigest;
    disk.fill();
    const failed = await command("build", "--as-of", "2026-11-03", "--source", "zenodo", "--threads", "1");
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain("share-release release prune --keep 1");
    expect(workFolders()).not.toEqual([]);
    disk.fill();
    const planned = await command("release", "prune", "--keep", "1", "--dry-run");
    expect(planned).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("from a failed build") });
    const pruned = await command("release", "prune", "--keep", "1");
    expect({ exitCode: pruned.exitCode, problems: pruned.exitCode === 0 ? "" : pruned.stderr }).toEqual({
      exitCode: 0,
      problems: "",
    });
    expect(pruned.stdout).toContain(`removed: ${older}`);
    expect(workFolders()).toEqual([]);
    expect(existsSync(store.release(older))).toBe(false);
    expect(existsSync(join(store.pruned, `${older.replace(":", "-")}.json`))).toBe(true);
    const { entries, damaged, torn } = await readJournal(store);
    expect(entries.at(-1)).toMatchObject({ event: "pruned", releaseDigest: older });
    expect(entries.at(-1)?.receiptDigest).toBe(entries.find((entry) => entry.releaseDigest === older)?.receiptDigest);
    expect({ damaged, torn }).toEqual({ damaged: [], torn: 0 });
    expect(await currentDigest(store)).toBe(newer);
    disk.clear();
    const again = await command("build", "--as-of", "2026-11-03", "--source", "zenodo", "--threads", "1");
    expect(again).toMatchObject({ exitCode: 0 });
    expect(workFolders()).toEqual([]);
  },
  120_000,
);

test("a build removes unfinished work of other builds, but not of a running one", async () => {
  await using bench = await temporaryStore();
  await harvestRecords(bench.store, bench.folder, "zenodo", RECORDS);
  await mkdir(bench.store.work("0123456789abcdef"), { recursive: true });
  await writeFile(join(bench.store.work("0123456789abcdef"), "evidence.parquet"), "half");
  const unlock = await lockFolder(bench.store.work("publish-0123456789abcdef"));
  await buildRelease(bench.store, ONE);
  expect(existsSync(bench.store.work("0123456789abcdef"))).toBe(false);
  expect(existsSync(bench.store.work("publish-0123456789abcdef"))).toBe(true);
  await unlock();
}, 300_000);
