/** Tests that half-written packs of killed processes do not affect later builds, and are never part of a release. */

import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeSigner, newReleaseKey, type Signer } from "../../pipeline/store/signatures.ts";
import { verify } from "../../releases/verify/index.ts";
import { buildRelease } from "../support/build-release.ts";
import { harvestBundled } from "../support/bundled-corpus.ts";
import { recordedEffects } from "../support/effects.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { pathsIn } from "../support/tree.ts";

let original: TemporaryStore;

beforeAll(async () => {
  original = await temporaryStore();
  await harvestBundled(original.store, ["zenodo"]);
});

afterAll(() => original[Symbol.asyncDispose]());

/** Returns a signer whose signing fails, so that stage 6 stops after all files of the release are written. */
async function neverSigning(): Promise<Signer> {
  const { keys } = await makeSigner(await newReleaseKey());
  return { keys, sign: () => Promise.reject(new Error("killed")) };
}

/** Writes files into the folder of a stage that look like unfinished packs of killed processes. */
async function leave(folder: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), "half of a file");
  }
}

test("a build after kills in stages 5 and 6 has the same files as a build without kills", async () => {
  await using undisturbed = await temporaryStore(original.store);
  const good = await buildRelease(undisturbed.store, { sources: ["zenodo"] });
  const digest = good.receipt.releaseDigest;

  await using disturbed = await temporaryStore(original.store);
  const { store } = disturbed;
  await expect(buildRelease(store, { sources: ["zenodo"], signer: await neverSigning() })).rejects.toThrow("killed");
  const [run = ""] = await readdir(store.work(""));
  const stage = join(store.work(run), "5-render");
  expect(await pathsIn(join(stage, "tree"))).toContain("pages/release.zst");
  await leave(stage, [
    "tree/pages/release.zst.4711",
    "tree/pages/2.0/record.zst.4711",
    "tree/data/records/part-0001.parquet",
  ]);
  await leave(`${stage}.draft-abc123`, ["tree/pages/2.0/record.zst.4711"]);
  expect((await buildRelease(store, { sources: ["zenodo"] })).receipt.releaseDigest).toBe(digest);

  expect(await pathsIn(store.release(digest))).toEqual(await pathsIn(undisturbed.store.release(digest)));
  const settings = { threads: 2, memory: "512MB" };
  expect((await verify(store, digest, settings, recordedEffects())).findings).toEqual([]);
});
