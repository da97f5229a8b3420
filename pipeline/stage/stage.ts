/** The frame that all stages share: a folder out, a manifest written last, and a clean start where that manifest is missing. */

import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { replaceFile } from "../files/durable.ts";
import type { Effects } from "./effects.ts";

export const stageManifest = z.object({
  stage: z.string(),
  /** Rows written, by table. */
  tables: z.record(z.string(), z.int().min(0)),
  /** Whatever later stages need to know, by name. */
  facts: z.record(z.string(), z.unknown()),
});
export type StageManifest = z.infer<typeof stageManifest>;

const MANIFEST = "manifest.json";

/**
 * Runs a stage, unless the manifest in `folder` says that it has run. `work` writes into a draft, which gets the name
 * `folder` once it is whole, its manifest included. What interrupted runs left is removed first; each run has a draft of
 * its own, so that a worker which outlives a killed run for a moment never writes into the next one's.
 */
export async function runStage(
  folder: string,
  name: string,
  work: (draft: string) => Promise<Omit<StageManifest, "stage">>,
): Promise<StageManifest> {
  const done = await readManifest(folder);
  if (done !== null) return done;
  // A folder without a manifest is nobody's work, however it came to be.
  await rm(folder, { recursive: true, force: true });
  await removeDrafts(folder);
  const draft = await mkdtemp(`${folder}${DRAFT}`);
  const manifest: StageManifest = { stage: name, ...(await work(draft)) };
  await replaceFile(join(draft, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(draft, folder);
  return manifest;
}

/** Stands between the name of a stage's folder and the letters of chance that make a draft's. */
const DRAFT = ".draft-";

async function removeDrafts(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(`${basename(folder)}${DRAFT}`)) continue;
    // Again, where a worker of the killed run writes once more meanwhile.
    await rm(join(dirname(folder), name), { recursive: true, force: true, maxRetries: 5 });
  }
}

async function readManifest(folder: string): Promise<StageManifest | null> {
  try {
    return stageManifest.parse(JSON.parse(await readFile(join(folder, MANIFEST), "utf8")));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/** The steps of a stage's SQL: each is told when it begins, and where the engine knows how far it is within it. */
export class StepProgress {
  readonly #stage: string;
  readonly #total: number;
  readonly #effects: Effects;
  #begun = 0;
  #step = "";

  constructor(stage: string, total: number, effects: Effects) {
    this.#stage = stage;
    this.#total = total;
    this.#effects = effects;
  }

  begin(step: string): void {
    this.#step = step;
    this.#begun += 1;
    this.share(0);
  }

  /** Tells that so much of the step is done, 0 to 1; a function of its own, to be handed on. */
  readonly share = (share: number): void => {
    const done = Math.max(0, this.#begun - 1 + share);
    this.#effects.progress({ stage: this.#stage, step: this.#step, done, total: this.#total, unit: "steps" });
  };
}
