/** raw/<source>/harvests.ndjson: one line for each harvest that ended, so that receipts can say how complete a source is. */

import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { instant, sourceName } from "../../../schemas/public/scalars.ts";

export const harvestLine = z.strictObject({
  source: sourceName,
  mode: z.enum(["files", "http"]),
  /** Null for recorded files: they carry no clock. */
  started: instant.nullable(),
  finished: instant.nullable(),
  /** What was asked for: changes since this day, or everything. */
  since: z.string().nullable(),
  limit: z.int().nullable(),
  records: z.int(),
  refused: z.int(),
  /** How many records the service said there are, and how many distinct ones came. */
  expected: z.int().nullable(),
  got: z.int(),
  complete: z.boolean(),
  missing: z.string().nullable(),
});
export type HarvestLine = z.infer<typeof harvestLine>;

export function harvestsPath(folder: string): string {
  return join(folder, "harvests.ndjson");
}

/** Adds a line for a harvest that ended. */
export async function appendHarvest(folder: string, line: HarvestLine): Promise<void> {
  const file = await open(harvestsPath(folder), "a");
  try {
    await file.appendFile(`${JSON.stringify(line)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The harvests of a raw folder, oldest first; none where there was none. */
export async function readHarvests(folder: string): Promise<HarvestLine[]> {
  let text: string;
  try {
    text = await readFile(harvestsPath(folder), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
  // A line cut by a crash has no newline behind it and is left out.
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  return lines.filter((line) => line !== "").map((line) => harvestLine.parse(JSON.parse(line)));
}
