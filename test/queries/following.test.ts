/** How a server opens and follows releases: the files that it leaves on the disk, and its behaviour if a release is damaged. */

import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appendEvent } from "../../pipeline/store/journal.ts";
import { activate } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { ActiveRelease } from "../../server/read/active-release.ts";
import { recordedEffects } from "../support/effects.ts";
import { type FilledStore, filledStore, type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { at } from "../trust/world.ts";
import { readRows } from "./ask-list.ts";
import { openRelease } from "./described-release.ts";

/** Names of the tables without which a release cannot be opened for queries. */
const NEEDED = ["records", "scores", "researchers", "institutions", "geography", "search", "facets", "aliases"];

describe("an open release", () => {
  let original: FilledStore;
  let first: Receipt;
  let second: Receipt;

  beforeAll(async () => {
    original = await filledStore({
      generated: { datacite: 22, zenodo: 22, clinicaltrials: 22, seed: 3 },
      builds: [{}, { asOf: "2026-11-02", activate: false }],
    });
    [first, second] = [at(original.receipts, 0), at(original.receipts, 1)];
    // The store has few files, because each test copies them and a server does not need the others.
    for (const part of ["work", "raw"]) rmSync(join(original.store.root, part), { recursive: true });
  }, 300_000);

  afterAll(() => original?.[Symbol.asyncDispose]());

  const following = (store: Store) => {
    const effects = { ...recordedEffects(), sleep: () => sleep(5) };
    const options = { pollMilliseconds: 5, queryMemory: "256MB", queryThreads: 2 };
    return { effects, begun: ActiveRelease.follow(store, options, effects) };
  };

  test("an open release has only its sign of life and its spill folder on the disk, and nothing once it is closed", async () => {
    await using copy = await temporaryStore(original.store);
    const release = await openRelease(copy.store, first.releaseDigest);
    const [run = "none"] = listScratchFolders(copy.store);
    expect(readdirSync(copy.store.queries(run), { recursive: true }).sort()).toEqual(["alive", "spill"]);
    expect((await readRows(release, "records", "limit=100")).pagination.total).toBeGreaterThan(50);
    await release.close();
    expect(listScratchFolders(copy.store)).toEqual([]);
  });

  test("an open release needs only the tables of the release, not its pages", async () => {
    await using copy = await temporaryStore(original.store);
    const folder = copy.store.release(first.releaseDigest);
    rmSync(join(folder, "pages"), { recursive: true });
    const release = await openRelease(copy.store, first.releaseDigest);
    expect((await readRows(release, "authors", "sortBy=sIndex&sortOrder=desc")).data).toHaveLength(10);
    await release.close();
  });

  describe("opening a release", () => {
    let copy: TemporaryStore;
    beforeAll(async () => {
      copy = await temporaryStore(original.store);
    });
    afterAll(() => copy[Symbol.asyncDispose]());

    test.each(NEEDED)("opening a release fails if its table %s is truncated, and leaves no files", async (name) => {
      const file = join(copy.store.release(first.releaseDigest), "data", name, "part-0000.parquet");
      const whole = readFileSync(file);
      truncateSync(file, Math.floor(whole.length / 2));
      await expect(openRelease(copy.store, first.releaseDigest)).rejects.toThrow();
      expect(listScratchFolders(copy.store)).toEqual([]);
      writeFileSync(file, whole);
    });

    test("opening a release succeeds once its tables are complete again", async () => {
      await (await openRelease(copy.store, first.releaseDigest)).close();
    });
  });

  test("a release is not opened if its receipt states another number of records than its tables have", async () => {
    await using copy = await temporaryStore(original.store);
    const path = join(copy.store.release(first.releaseDigest), "release.json");
    const { coverage, ...rest } = JSON.parse(readFileSync(path, "utf8"));
    const other = { ...coverage, harvested: coverage.harvested + 1, scored: coverage.scored + 1 };
    writeFileSync(path, JSON.stringify({ ...rest, coverage: other }));
    await appendEvent(copy.store, { event: "built", releaseDigest: first.releaseDigest, at: null });
    await expect(openRelease(copy.store, first.releaseDigest)).rejects.toThrow("but its receipt says");
  });

  test("a server that is closed while it opens a new release leaves no files", async () => {
    await using copy = await temporaryStore(original.store);
    const active = await following(copy.store).begun;
    await activate(copy.store, second.releaseDigest);
    await active.close();
    expect(listScratchFolders(copy.store)).toEqual([]);
  });

  test("a server keeps its release if the next one is damaged, logs that once, and switches when it is repaired", async () => {
    await using copy = await temporaryStore(original.store);
    const { effects, begun } = following(copy.store);
    const active = await begun;
    await active.announce();
    const file = join(copy.store.release(second.releaseDigest), "data/scores/part-0000.parquet");
    const whole = join(original.store.release(second.releaseDigest), "data/scores/part-0000.parquet");
    truncateSync(file, 100);
    await activate(copy.store, second.releaseDigest);
    await until(() => effects.logged.some(({ event }) => event === "release-not-followed"));
    await sleep(300);
    expect(active.digest).toBe(first.releaseDigest);
    expect(basename(readlinkSync(copy.store.serving))).toBe(basename(copy.store.release(first.releaseDigest)));
    expect(effects.logged.filter(({ event }) => event === "release-not-followed")).toHaveLength(1);
    cpSync(whole, file);
    await until(() => active.digest === second.releaseDigest);
    await until(() => readlinkSync(copy.store.serving).endsWith(basename(copy.store.release(second.releaseDigest))));
    await active.close();
    expect(listScratchFolders(copy.store)).toEqual([]);
  });

  test("a server sets the link `serving` only once it listens, and never from a newer release back to an older one", async () => {
    await using copy = await temporaryStore(original.store);
    const { store } = copy;
    const served = () => basename(readlinkSync(store.serving)).replace("-", ":");
    const options = { pollMilliseconds: 60_000, queryMemory: "256MB", queryThreads: 2 };
    const effects = {
      ...recordedEffects(),
      sleep: (milliseconds: number, signal?: AbortSignal) =>
        sleep(milliseconds, undefined, signal === undefined ? {} : { signal }),
    };
    const behind = await ActiveRelease.follow(store, options, effects);
    expect(existsSync(store.serving)).toBe(false);
    // The server `ahead` sets the link to the newer release. `behind` does not read `current` again for a minute.
    await activate(store, second.releaseDigest);
    const ahead = await ActiveRelease.follow(store, options, effects);
    await ahead.announce();
    expect(served()).toBe(second.releaseDigest);
    await behind.announce();
    expect([behind.digest, served()]).toEqual([first.releaseDigest, second.releaseDigest]);
    await Promise.all([behind.close(), ahead.close()]);
  });

  test("a server without a release logs that once", async () => {
    await using copy = await temporaryStore(original.store);
    rmSync(copy.store.current);
    const { effects, begun } = following(copy.store);
    const active = await begun;
    await sleep(100);
    expect(effects.logged.map(({ level, event }) => [level, event])).toEqual([["warn", "no-release-active"]]);
    await activate(copy.store, first.releaseDigest);
    await until(() => active.digest === first.releaseDigest);
    await active.close();
  });

  test("a release that is replaced stays open until the requests that began with it have ended", async () => {
    await using copy = await temporaryStore(original.store);
    const active = await following(copy.store).begun;
    await active.use(async (release) => {
      await activate(copy.store, second.releaseDigest);
      await until(() => active.digest === second.releaseDigest);
      expect(release.digest).toBe(first.releaseDigest);
      expect((await readRows(release, "records", "search=data&limit=3")).pagination.limit).toBe(3);
      expect(listScratchFolders(copy.store)).toHaveLength(2);
    });
    await until(() => listScratchFolders(copy.store).length === 1);
    await active.close();
  });
});

/** Lists the temporary folders of open releases in a store. */
function listScratchFolders(store: Store): string[] {
  return readdirSync(store.queries(""));
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1000; tries += 1) {
    if (holds()) return;
    await sleep(20);
  }
  throw new Error("the condition did not hold within 20 seconds");
}
