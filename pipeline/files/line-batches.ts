/** Cuts a stream of UTF-8 chunks into lines, a batch for each chunk. */

import { open } from "node:fs/promises";

const NEWLINE = 0x0a;

/** The lines of `chunks` without their newlines; a last line without one counts too. */
export async function* lineBatches(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let carried: Buffer[] = [];
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end < 0) {
      carried.push(Buffer.from(chunk));
      continue;
    }
    carried.push(chunk.subarray(0, end));
    yield linesOf(carried);
    // Copied: a chunk may be overwritten by the next.
    carried = end + 1 < chunk.length ? [Buffer.from(chunk.subarray(end + 1))] : [];
  }
  if (carried.length > 0) yield linesOf(carried);
}

/** Each line is decoded by itself: one with letters of other scripts would make two bytes a character of all its neighbours'. */
function linesOf(pieces: readonly Buffer[]): string[] {
  const whole = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  const lines: string[] = [];
  let start = 0;
  for (let end = whole.indexOf(NEWLINE); end >= 0; end = whole.indexOf(NEWLINE, start)) {
    lines.push(whole.toString("utf8", start, end));
    start = end + 1;
  }
  lines.push(whole.toString("utf8", start));
  return lines;
}

/** Largest chunk, in bytes, where none is asked for. */
const CHUNK = 1 << 20;

/** Smallest one: a page of memory costs nothing, and what claims to be empty may hold something all the same. */
const LEAST = 1 << 12;

/** A chunk is valid until the next one is asked for: the buffer is used again, and fits what is to be read. */
export async function* readChunks(
  path: string,
  options: { start?: number; size?: number } = {},
): AsyncGenerator<Buffer> {
  const file = await open(path, "r");
  try {
    let position = options.start ?? 0;
    const { size } = await file.stat();
    const buffer = Buffer.allocUnsafe(Math.min(options.size ?? CHUNK, Math.max(LEAST, size - position)));
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
