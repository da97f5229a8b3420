/** Tests that the release digest depends only on the harvested payloads and on the as-of date. */

import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Random } from "../../fixtures/generate/random.ts";
import { writeGenerated } from "../../fixtures/write.ts";
import { harvestFiles } from "../../pipeline/1-harvest/index.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { removeWork } from "../../pipeline/store/store.ts";
import { buildRelease } from "../support/build-release.ts";
import { AS_OF, harvestBundled, PAYLOADS, RETRIEVED_AT } from "../support/bundled-corpus.ts";
import { jsonLines, runCommand } from "../support/command-line.ts";
import { recordedEffects } from "../support/effects.ts";
import { releaseContent } from "../support/release-content.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { digestsIn, touchesIn } from "../support/tree.ts";

const GENERATED = { datacite: 80, zenodo: 15, clinicaltrials: 5 } as const;

let original: TemporaryStore;
let digest: string;
/**
 * The digest of every file of the first release, except the receipt, which contains facts about raw/ and the time of
 * publication.
 */
let files: Map<string, string>;

beforeAll(async () => {
  original = await temporaryStore();
  await harvestBundled(original.store);
  await generate(original.store);
  const { receipt } = await buildRelease(original.store, { threads: 2 });
  digest = receipt.releaseDigest;
  files = await digestFiles(original.store);
});

afterAll(() => original[Symbol.asyncDispose]());

/** Ways to get the same payloads into another store. */
const CASES: readonly { name: string; threads: number; harvest: (store: Store, folder: string) => Promise<void> }[] = [
  { name: "one thread in place of two", threads: 1, harvest: copyRaw },
  { name: "many harvests of the files in random order from another folder", threads: 2, harvest: shuffled },
];

for (const { name, threads, harvest } of CASES) {
  test(`a build of the same payloads gives the same release digest and files with ${name}`, async () => {
    await using copy = await temporaryStore();
    await harvest(copy.store, copy.folder);
    const { receipt } = await buildRelease(copy.store, { threads });
    expect(receipt.releaseDigest).toBe(digest);
    expect(await digestFiles(copy.store)).toEqual(files);
  });
}

test("a build with four threads, in another process and at another time, gives the same release digest and files", async () => {
  await using copy = await temporaryStore();
  await copyRaw(copy.store);
  const parameters = ["--as-of", AS_OF, "--store", copy.store.root, "--threads", "4", "--json"];
  const { stdout } = await runCommand(["build", ...parameters]);
  expect(jsonLines(stdout).at(-1)).toMatchObject({ created: true, receipt: { releaseDigest: digest } });
  const { files: built, dated } = await releaseContent(copy.store.release(digest));
  const { files: wanted } = await releaseContent(original.store.release(digest));
  expect(built).toEqual(wanted);
  expect(dated.length).toBeGreaterThan(0);
});

test("a build with another as-of date gives another release digest", async () => {
  await using copy = await temporaryStore();
  await copyRaw(copy.store);
  const { receipt } = await buildRelease(copy.store, { asOf: "2026-11-02" });
  expect(receipt.releaseDigest).not.toBe(digest);
  expect(receipt.content.inputs).toMatchObject({ asOf: "2026-11-02" });
});

test("a build of a release that exists already changes nothing", async () => {
  // Only the last stage runs again here, because the stages before it are reused from work/.
  const before = await touchesIn(original.store.releases);
  const raw = await touchesIn(original.store.raw(""));
  const { receipt, created, activated } = await buildRelease(original.store, {}, "2027-01-01T00:00:00.000Z");
  await removeWork(original.store);
  expect({ created, activated, digest: receipt.releaseDigest }).toEqual({ created: false, activated: true, digest });
  expect(await touchesIn(original.store.releases)).toEqual(before);
  expect(await touchesIn(original.store.raw(""))).toEqual(raw);
  expect((await readdir(original.store.root)).sort()).toEqual(["current", "journal.ndjson", "raw", "releases"]);
});

async function generate(store: Store): Promise<void> {
  for (const source of ["datacite", "zenodo", "clinicaltrials"] as const) {
    await writeGenerated(store, { source, records: GENERATED[source], seed: 7 }, recordedEffects());
  }
}

async function copyRaw(store: Store): Promise<void> {
  await cp(join(original.store.root, "raw"), join(store.root, "raw"), { recursive: true });
}

/** Harvests the generated payloads first, and then a copy of the bundled files, nine at a time and in random order. */
async function shuffled(store: Store, folder: string): Promise<void> {
  await generate(store);
  const elsewhere = join(folder, "elsewhere");
  await cp(PAYLOADS, elsewhere, { recursive: true });
  const random = new Random(11, 0, 0);
  for (const source of [...SOURCES].reverse()) {
    const paths = (await readdir(join(elsewhere, source.name))).map((name) => join(elsewhere, source.name, name));
    const inAnyOrder = paths
      .map((path) => ({ path, place: random.unit() }))
      .sort((one, other) => one.place - other.place)
      .map(({ path }) => path);
    for (let i = 0; i < inAnyOrder.length; i += 9) {
      const options = { paths: inAnyOrder.slice(i, i + 9), retrievedAt: RETRIEVED_AT, limit: null };
      await harvestFiles(store, source, options, recordedEffects());
    }
  }
}

async function digestFiles(store: Store): Promise<Map<string, string>> {
  const all = await digestsIn(store.release(digest));
  all.delete("release.json");
  return all;
}
