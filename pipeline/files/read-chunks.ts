/** Reads a file in large chunks from a given byte on, one chunk in memory at a time. */

import { open } from "node:fs/promises";

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
