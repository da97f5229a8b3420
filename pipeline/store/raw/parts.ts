/** The parts of raw/<source>: NNNNNN.ndjson.zst, immutable once they have that name, read in the order of their numbers. */

import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { inflate } from "../../files/inflate.ts";
import { lineBatches, readChunks } from "../../files/line-batches.ts";

export interface RawPart {
  readonly name: string;
  readonly path: string;
  readonly number: number;
  /** Size of the compressed file. */
  readonly bytes: number;
}

const PART = /^(\d{6,})\.ndjson\.zst$/;

/** File name of a part. */
export function partName(number: number): string {
  return `${String(number).padStart(6, "0")}.ndjson.zst`;
}

/** The finished parts of a raw folder in order; none where the folder does not exist. */
export async function listParts(folder: string): Promise<RawPart[]> {
  const parts: RawPart[] = [];
  for (const name of await namesIn(folder)) {
    const number = PART.exec(name)?.[1];
    if (number === undefined) continue;
    const path = join(folder, name);
    parts.push({ name, path, number: Number(number), bytes: (await stat(path)).size });
  }
  return parts.sort((one, other) => one.number - other.number);
}

/** The number a new part gets: one more than any there is. */
export async function nextPartNumber(folder: string): Promise<number> {
  const last = (await listParts(folder)).at(-1);
  return last === undefined ? 1 : last.number + 1;
}

/** sha256 of the compressed file, for receipts. */
export async function digestPart(part: RawPart): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of readChunks(part.path)) hash.update(chunk);
  return hash.digest("hex");
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

/** Compressed bytes read at once. */
const CHUNK = 256 * 1024;

/** Hands over the lines of a part in batches, in order; the fast form, without a promise a line. */
export async function readBatches(path: string, onLines: (lines: string[]) => void | Promise<void>): Promise<void> {
  for await (const lines of lineBatches(decompressed(path))) await onLines(lines);
}

/** The lines of a part, one by one. */
export async function* readLines(path: string): AsyncGenerator<string> {
  for await (const lines of lineBatches(decompressed(path))) yield* lines;
}

function decompressed(path: string): AsyncGenerator<Buffer> {
  return inflate(readChunks(path, { size: CHUNK }), "zstd");
}
