/** Runs a stage of a build. The output of a stage is one folder, in which the manifest is written last. */

import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { replaceFile } from "../files/durable.ts";
import type { Effects } from "./effects.ts";

export const stageManifest = z.object({
  stage: z.string(),
  /** Numbers of written rows, by table. */
  tables: z.record(z.string(), z.int().min(0)),
  /** Facts that later stages need, by name. */
  facts: z.record(z.string(), z.unknown()),
});
export type StageManifest = z.infer<typeof stageManifest>;

const MANIFEST = "manifest.json";

/**
 * Runs a stage, unless the manifest in `folder` shows that it has already finished. `work` writes to a draft folder,
 * which is renamed to `folder` at the end. Drafts of interrupted runs are removed. Every run has a new draft, so that a
 * worker of a killed run that still writes cannot write to it.
 */
export async function runStage(
  folder: string,
  name: string,
  work: (draft: string) => Promise<Omit<StageManifest, "stage">>,
): Promise<StageManifest> {
  const done = await readManifest(folder);
  if (done !== null) return done;
  // Without a manifest, the content of a folder is unknown.
  await rm(folder, { recursive: true, force: true });
  await removeDrafts(folder);
  const draft = await mkdtemp(`${folder}${DRAFT}`);
  const manifest: StageManifest = { stage: name, ...(await work(draft)) };
  await replaceFile(join(draft, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(draft, folder);
  return manifest;
}

/** Separates the name of the stage's folder from the random letters in the name of a draft folder. */
const DRAFT = ".draft-";

async function removeDrafts(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(`${basename(folder)}${DRAFT}`)) continue;
    // Retries if a worker of a killed run still writes.
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

/** Reports which SQL step of a stage runs. Also reports how much of the step is finished, if the engine knows this. */
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

  /**
   * Reports how much of the current step is finished, from 0 to 1. It is a property and not a method, so that it can be
   * passed as a function.
   */
  readonly share = (share: number): void => {
    const done = Math.max(0, this.#begun - 1 + share);
    this.#effects.progress({ stage: this.#stage, step: this.#step, done, total: this.#total, unit: "steps" });
  };
}
