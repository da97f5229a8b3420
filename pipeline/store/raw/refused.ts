/** raw/<source>/refused.ndjson: one line for each piece of input that was no record, in step with the parts. */

import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Refusal, type RefusalReason, refusal } from "../../../schemas/public/refusal.ts";
import { lineBatches, readChunks } from "../../files/line-batches.ts";

export function refusedPath(folder: string): string {
  return join(folder, "refused.ndjson");
}

/** A count of nothing for every reason. */
export function noRefusals(): Record<RefusalReason, number> {
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

/** Appends refusals and flushes them; answers the length of the file after it. */
export async function appendRefused(folder: string, refusals: readonly Refusal[]): Promise<number> {
  const file = await open(refusedPath(folder), "a");
  try {
    if (refusals.length > 0) {
      await file.appendFile(refusals.map((line) => `${JSON.stringify(line)}\n`).join(""));
      await file.sync();
    }
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

/** Takes back what was appended after the last checkpoint. */
export async function truncateRefused(folder: string, length: number): Promise<void> {
  const size = await sizeOf(refusedPath(folder));
  if (size <= length) return;
  const file = await open(refusedPath(folder), "r+");
  try {
    await file.truncate(length);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The refusals of a raw folder, in the order they were found. */
export async function* readRefused(folder: string): AsyncGenerator<Refusal> {
  const path = refusedPath(folder);
  if ((await sizeOf(path)) === 0) return;
  for await (const lines of lineBatches(readChunks(path))) {
    for (const line of lines) yield refusal.parse(JSON.parse(line));
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return 0;
    throw error;
  }
}
