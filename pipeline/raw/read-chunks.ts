/** Reads a file in large chunks from a given byte on, one chunk in memory at a time. */

import { open } from "node:fs/promises";

/** A chunk is valid until the next one is asked for: the buffer is used again. */
export async function* readChunks(
  path: string,
  options: { start?: number; size?: number } = {},
): AsyncGenerator<Buffer> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(options.size ?? 1 << 20);
    let position = options.start ?? 0;
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
