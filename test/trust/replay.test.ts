/** Another machine's folder verifies, re-scores and replays a release to the same digest, and names what differs. */

import { cp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { harvestFiles } from "../../pipeline/1-harvest/index.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { readReceipt } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type ReplayOptions, replay } from "../../releases/replay/index.ts";
import { verifyFolder } from "../../releases/verify/index.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { buildRelease } from "../support/build-release.ts";
import { PAYLOADS } from "../support/bundled-corpus.ts";
import { jsonLines, runCommand } from "../support/command-line.ts";
import { recordedEffects } from "../support/effects.ts";
import { editReceipt, flipByte } from "../support/forgery.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { forgeTable } from "./forge.ts";
import { at, SOURCES, signedWorld, type World } from "./world.ts";

let world: World;
let digest: string;
let receipt: Receipt;

beforeAll(async () => {
  world = await signedWorld(["2026-11-01"]);
  digest = at(world.digests, 0);
  await rm(world.store.work(""), { recursive: true, force: true });
  const read = await readReceipt(world.store.release(digest));
  if (read === null) throw new Error("there is no receipt");
  receipt = read;
});

afterAll(() => world[Symbol.asyncDispose]());

const NOTHING: ReplayOptions = { withheld: [], ror: null, citations: null, threads: 2, memory: "512MB", scratch: null };

async function replayed(
  store: Store,
  folder = store.release(digest),
  options: Partial<ReplayOptions> = {},
): Promise<string[]> {
  const own = (await readReceipt(folder)) ?? receipt;
  const { findings } = await replay(folder, own, store, { ...NOTHING, ...options }, recordedEffects());
  return findings.map(({ detail }) => detail);
}

test("works in another folder, with one thread, another language and a time zone beyond the date line", async () => {
  await using other = await temporaryStore();
  const release = join(other.folder, "as downloaded, with spaces");
  await cp(world.store.release(digest), release, { recursive: true });
  await cp(world.store.raw(""), other.store.raw(""), { recursive: true });
  const keys = join(other.folder, "keys.json");
  await writeFile(keys, JSON.stringify({ keys: world.keys }));
  const environment = { TZ: "Pacific/Kiritimati", LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8", LANGUAGE: "tr" };
  const { exitCode, stdout, stderr } = await runCommand(
    [
      "release",
      "verify",
      digest,
      "--folder",
      release,
      "--key",
      keys,
      "--rescore",
      "--replay",
      "--threads",
      "1",
      "--json",
      "--store",
      other.store.root,
    ],
    { environment },
  );
  expect({ exitCode, stderr: exitCode === 0 ? "" : stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(jsonLines(stdout)).toMatchObject([{ releaseDigest: digest, findings: 0 }]);
  expect(await readdir(other.store.root)).toEqual(["raw"]);
});

describe("a replay", () => {
  test("ignores later harvests, and does not change the store", async () => {
    await using copy = await temporaryStore(world.store);
    const source = sourceNamed("zenodo");
    if (source === null) throw new Error("there is no source zenodo");
    const options = {
      paths: [join(PAYLOADS, "zenodo/closed.json")],
      retrievedAt: "2026-11-05T00:00:00.000Z",
      limit: null,
    };
    await harvestFiles(copy.store, source, options, recordedEffects());
    const before = await readdir(copy.store.root, { recursive: true });
    expect(await replayed(copy.store)).toEqual([]);
    expect(await readdir(copy.store.root, { recursive: true })).toEqual(before);
    expect((await buildRelease(copy.store, { sources: SOURCES, activate: false })).receipt.releaseDigest).not.toBe(
      digest,
    );
  });

  test("finds a forged table that agrees with all others, and its first changed row", async () => {
    await using copy = await temporaryStore(world.store);
    const folder = copy.store.release(digest);
    await forgeTable(folder, "unlisted", "update forged set reason = 'forged' where id = (select max(id) from forged)");
    const forged = join(copy.folder, "forged");
    await rename(folder, forged);
    const settings = { threads: 2, memory: "512MB", rescore: false };
    expect((await verifyFolder(forged, null, settings, recordedEffects()))?.findings).toEqual([]);
    expect(await replayed(copy.store, forged)).toEqual([
      expect.stringMatching(
        /^the first table that differs is data\/unlisted, its first row that does that of id r[0-9a-f]{24}$/,
      ),
    ]);
  });

  test("names the source whose raw payloads differ", async () => {
    await using copy = await temporaryStore(world.store);
    await editReceipt(copy.store.release(digest), ({ sources, ...rest }) => ({
      ...rest,
      sources: sources.map((source) => ({ ...source, rawDigest: `sha256:${"0".repeat(64)}` })),
    }));
    expect(await replayed(copy.store)).toEqual(["raw/zenodo does not hold what the release was made of"]);
  });

  test("names a changed input before the tables that depend on it", async () => {
    const [input] = await replayed(world.store, undefined, { withheld: ["a000000000000000000000000"] });
    expect(input).toBe("withheld is not what the release was made with");
  });

  test("reports missing raw payloads, and stops at damaged ones", async () => {
    await using copy = await temporaryStore(world.store);
    const [part = ""] = (await readdir(copy.store.raw("zenodo"))).filter((name) => name.endsWith(".zst")).sort();
    await flipByte(join(copy.store.raw("zenodo"), part));
    await expect(replayed(copy.store)).rejects.toThrow();
    await rm(join(copy.store.raw("zenodo"), part));
    await expect(replayed(copy.store)).rejects.toThrow("replay it where its raw payloads are");
    expect(await readdir(copy.store.root)).not.toContain("work");
  });
});
