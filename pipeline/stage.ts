/** What all stages share: a folder out, a manifest written last, and a clean start where that manifest is missing. */

import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { replaceFile } from "./durable.ts";

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
 * Runs a stage into `folder`, unless its manifest says that it has run. What an interrupted run left is removed first.
 * The manifest is the last thing written: a folder with one is whole.
 */
export async function runStage(
  folder: string,
  name: string,
  work: () => Promise<Omit<StageManifest, "stage">>,
): Promise<StageManifest> {
  const done = await readManifest(folder);
  if (done !== null) return done;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const manifest: StageManifest = { stage: name, ...(await work()) };
  await replaceFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

async function readManifest(folder: string): Promise<StageManifest | null> {
  try {
    return stageManifest.parse(JSON.parse(await readFile(join(folder, MANIFEST), "utf8")));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
