/**
 * Makes a store with a release, changes its payloads, and compares two builds that must be equal: a rebuild and a full build.
 */

import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { type GenerateOptions, generatePayloads } from "../../fixtures/generate/index.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { removeWork } from "../../pipeline/store/store.ts";
import type { BuildReleaseOptions, ReleaseResult } from "../../releases/activate.ts";
import { buildRelease } from "../support/build-release.ts";
import { filledStore, type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { digestsIn } from "../support/tree.ts";

export const BASE_TIME = "2026-11-02T09:30:00.000Z";
/** The time of publication of both builds in a comparison, because it is in their files. */
export const LATER = "2026-11-09T09:30:00.000Z";

const CORPUS: GenerateOptions = { source: "datacite", records: 80, seed: 7 };

/**
 * Creates a store with hand-made payloads (some under embargo), generated payloads, and the release from which rebuilds start.
 */
export async function rebuildWorld(records = CORPUS.records): Promise<TemporaryStore> {
  const payloads = [...generatePayloads({ ...CORPUS, records })];
  const world = await filledStore({
    bundled: ["datacite", "zenodo", "dryad", "clinicaltrials"],
    captures: payloads.map((each) => ({ source: "datacite", ...each, retrievedAt: "2026-10-31T00:00:00.000Z" })),
    builds: [{ reuse: "always", now: BASE_TIME }],
  });
  await removeWork(world.store);
  return world;
}

/** Returns a later capture of the generated record with this index. `change` edits its payload. */
export function later(index: number, change: (payload: string) => string = (payload) => payload) {
  const [made] = generatePayloads({ ...CORPUS, records: 1, start: index });
  if (made === undefined) throw new Error(`there is no record ${index}`);
  return { source: "datacite", ...made, payload: change(made.payload), retrievedAt: "2026-11-01T00:00:00.000Z" };
}

/** Changes of a DataCite payload by name. Each affects other pages. */
export const CHANGES = {
  title: (payload: string) => payload.replace(/"titles":\[\{"title":"/, "$&Revised: "),
  creator: (payload: string) => payload.replace(/"creators":\[/, `$&${JSON.stringify(SOMEBODY)},`),
  subjects: (payload: string) => payload.replace(/"subjects":\[[^\]]*\]/, '"subjects":[{"subject":"one"}]'),
  nobody: (payload: string) => payload.replace(/"creators":\[.*?\],"titles"/, '"creators":[],"titles"'),
} as const;

const SOMEBODY = {
  name: "Carberry, Josiah",
  nameType: "Personal",
  givenName: "Josiah",
  familyName: "Carberry",
  affiliation: [{ name: "Brown University, United States" }],
  nameIdentifiers: [
    {
      nameIdentifier: "https://orcid.org/0000-0002-1825-0097",
      nameIdentifierScheme: "ORCID",
      schemeUri: "https://orcid.org",
    },
  ],
};

/** Copies the store, and keeps the times of its files, because a rebuild recognises unchanged packs by them. */
export async function copyWorld(world: TemporaryStore): Promise<TemporaryStore> {
  const copy = await temporaryStore();
  await cp(world.store.root, copy.store.root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  return copy;
}

/**
 * Makes the same change in two copies of the store, rebuilds one and builds the other in full. Expects all files to be the
 * same, including receipt and manifest, and returns the result of the rebuild.
 */
export async function expectSame(
  world: TemporaryStore,
  change: (store: Store) => Promise<void>,
  options: Partial<BuildReleaseOptions> = {},
): Promise<ReleaseResult> {
  await using cheap = await copyWorld(world);
  await using full = await copyWorld(world);
  const builds: ReleaseResult[] = [];
  for (const [{ store }, reuse] of [
    [cheap, "always"],
    [full, "never"],
  ] as const) {
    await change(store);
    builds.push(await buildRelease(store, { ...options, reuse, force: "a test" }, LATER));
  }
  const [rebuilt, built] = builds;
  if (rebuilt === undefined || built === undefined) throw new Error("nothing was built");
  expect(rebuilt.receipt.releaseDigest).toBe(built.receipt.releaseDigest);
  const digest = built.receipt.releaseDigest;
  expect(await digestsIn(cheap.store.release(digest))).toEqual(await digestsIn(full.store.release(digest)));
  expect(await foldersIn(cheap.store.release(digest))).toEqual(await foldersIn(full.store.release(digest)));
  expect(built.reused).toMatchObject({ parts: 0, pages: 0 });
  return rebuilt;
}

/** Returns every folder below `root`, including empty ones, which a list of files would not show. */
async function foldersIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .flatMap((entry) => (entry.isDirectory() ? [join(entry.parentPath, entry.name).slice(root.length)] : []))
    .sort();
}
