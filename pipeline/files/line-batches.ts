/** Splits a stream of UTF-8 chunks into lines, one batch of lines for each chunk. */

import { open } from "node:fs/promises";

const NEWLINE = 0x0a;

/** Yields the lines of `chunks` in batches, without newlines. Includes a last line that does not end with a newline. */
export async function* lineBatches(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let carried: Buffer[] = [];
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end < 0) {
      carried.push(Buffer.from(chunk));
      continue;
    }
    carried.push(chunk.subarray(0, end));
    yield decodeLines(carried);
    // The next chunk may overwrite this one.
    carried = end + 1 < chunk.length ? [Buffer.from(chunk.subarray(end + 1))] : [];
  }
  if (carried.length > 0) yield decodeLines(carried);
}

/**
 * Decodes each line separately. JavaScript stores a text with characters beyond Latin-1 in twice the memory, so one
 * such line would otherwise double that of its neighbours.
 */
function decodeLines(pieces: readonly Buffer[]): string[] {
  const joined = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  const lines: string[] = [];
  let start = 0;
  for (let end = joined.indexOf(NEWLINE); end >= 0; end = joined.indexOf(NEWLINE, start)) {
    lines.push(joined.toString("utf8", start, end));
    start = end + 1;
  }
  lines.push(joined.toString("utf8", start));
  return lines;
}

/** Default size of a chunk in bytes. */
const CHUNK = 1 << 20;

/** Smallest chunk in bytes. A file whose size is reported as 0 can still have content, for example below /proc. */
const MIN_CHUNK_BYTES = 1 << 12;

/**
 * Reads a file in chunks. Each chunk must be used before the next one is requested, because both use the same buffer.
 */
export async function* readChunks(
  path: string,
  options: { start?: number; size?: number } = {},
): AsyncGenerator<Buffer> {
  const file = await open(path, "r");
  try {
    let position = options.start ?? 0;
    const { size } = await file.stat();
    const buffer = Buffer.allocUnsafe(Math.min(options.size ?? CHUNK, Math.max(MIN_CHUNK_BYTES, size - position)));
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
