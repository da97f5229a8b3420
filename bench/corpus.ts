/** Generated stores for the benchmarks, made once in the system's temporary folder. */

import { existsSync } from "node:fs";
import { link, mkdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeGenerated } from "../fixtures/write.ts";
import { listParts } from "../pipeline/store/raw-parts.ts";
import { openStore, type Store } from "../pipeline/store/store.ts";
import type { BuildReleaseOptions } from "../releases/activate.ts";
import { silent } from "./measure.ts";

export const BENCH_FOLDER = join(tmpdir(), "share-release-bench");
const SEED = 11;

/** Returns a store with raw payloads of `records` generated DataCite records. */
export async function prepareCorpus(records: number): Promise<Store> {
  const folder = join(BENCH_FOLDER, `datacite-${records}-${SEED}`);
  if (!existsSync(folder)) {
    const unfinished = `${folder}.tmp`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { recursive: true });
    await writeGenerated(openStore(unfinished), { source: "datacite", records, seed: SEED }, silent);
    await rename(unfinished, folder);
  }
  return openStore(folder);
}

/** Returns a new store that shares the payloads of a corpus through links. The caller removes the store. */
export async function storeBeside(corpus: Store, name: string): Promise<Store> {
  const store = openStore(join(BENCH_FOLDER, name));
  await rm(store.root, { recursive: true, force: true });
  await mkdir(store.raw("datacite"), { recursive: true });
  for (const part of await listParts(corpus.raw("datacite"))) {
    await link(part.path, join(store.raw("datacite"), part.name));
  }
  return store;
}

/** The build options that all benchmarks share. */
export const BUILD: BuildReleaseOptions = {
  asOf: "2026-11-01",
  sources: ["datacite"],
  rubrics: ["2.0", "1.0"],
  attribution: true,
  history: true,
  withheld: [],
  ror: null,
  citations: null,
  threads: 2,
  memory: null,
  activate: true,
};
