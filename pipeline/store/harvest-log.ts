/**
 * Reads and writes the logs in raw/<source>: harvests.ndjson, with one line for each finished harvest, and
 * rejected.ndjson, with one line for each rejected item.
 */

import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type ParameterRejection, type RejectionReason, rejection } from "../../schemas/public/problem.ts";
import { instant, sourceName } from "../../schemas/public/scalars.ts";
import { lineBatches, readChunks } from "../files/line-batches.ts";

export const harvestLine = z.strictObject({
  source: sourceName,
  mode: z.enum(["files", "http"]),
  /** URL of the service, if it is not the usual one of the source. */
  service: z.string().optional(),
  /** The harvested part of the service, such as `client=tib.tib`; absent if everything was harvested. */
  only: z.string().optional(),
  /** Time at which the harvest started; null for an import of files. */
  started: instant.nullable(),
  finished: instant.nullable(),
  /** Day from which the harvest requested changes; null for a full harvest. */
  since: z.string().nullable(),
  limit: z.int().nullable(),
  records: z.int(),
  rejected: z.int(),
  /** `expected`: number of records that the service announced. `got`: number of distinct records that arrived. */
  expected: z.int().nullable(),
  got: z.int(),
  complete: z.boolean(),
  missing: z.string().nullable(),
});
export type HarvestLine = z.infer<typeof harvestLine>;

export function harvestsPath(folder: string): string {
  return join(folder, "harvests.ndjson");
}

export async function appendHarvest(folder: string, line: HarvestLine): Promise<void> {
  const file = await open(harvestsPath(folder), "a");
  try {
    await file.appendFile(`${JSON.stringify(line)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Reads the log entries of finished harvests in a raw folder, oldest first. */
export async function readHarvests(folder: string): Promise<HarvestLine[]> {
  let text: string;
  try {
    text = await readFile(harvestsPath(folder), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
  // A line without a newline was cut off by a crash. It is skipped.
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  return lines.filter((line) => line !== "").map((line) => harvestLine.parse(JSON.parse(line)));
}

export function rejectedPath(folder: string): string {
  return join(folder, "rejected.ndjson");
}

export function noRejections(): Record<RejectionReason, number> {
  return {
    empty: 0,
    binary: 0,
    encoding: 0,
    truncated: 0,
    "not-json": 0,
    "too-deep": 0,
    "too-large": 0,
    "error-answer": 0,
    "retired-format": 0,
    "unknown-shape": 0,
    "no-identifier": 0,
    unreadable: 0,
  };
}

/** Appends rejected items to rejected.ndjson and flushes the file. Returns its new length in bytes. */
export async function appendRejected(folder: string, rejections: readonly ParameterRejection[]): Promise<number> {
  const file = await open(rejectedPath(folder), "a");
  try {
    if (rejections.length > 0) {
      await file.appendFile(rejections.map((line) => `${JSON.stringify(line)}\n`).join(""));
      await file.sync();
    }
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

/**
 * Cuts rejected.ndjson to a length in bytes. A resumed harvest does so, because it rejects the items after its last
 * checkpoint again.
 */
export async function truncateRejected(folder: string, length: number): Promise<void> {
  const size = await readSize(rejectedPath(folder));
  if (size <= length) return;
  const file = await open(rejectedPath(folder), "r+");
  try {
    await file.truncate(length);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function* readRejected(folder: string): AsyncGenerator<ParameterRejection> {
  const path = rejectedPath(folder);
  if ((await readSize(path)) === 0) return;
  for await (const lines of lineBatches(readChunks(path))) {
    for (const line of lines) yield rejection.parse(JSON.parse(line));
  }
}

async function readSize(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return 0;
    throw error;
  }
}
