/** Reads the lines of a raw part: decompressed and decoded as a stream, so that memory does not grow with the part. */

import { inflate } from "../../files/inflate.ts";
import { lineBatches, readChunks } from "../../files/line-batches.ts";

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
