/** The bytes of an input as if it had never been compressed, from a given byte on. */

import { open } from "node:fs/promises";
import { codecOf, inflate } from "../../files/inflate.ts";
import { readChunks } from "../../files/read-chunks.ts";
import type { Allowance } from "./allowance.ts";

/** Compressed input goes in by small steps: each may stand for a thousand times its size. */
const COMPRESSED_CHUNK = 64 * 1024;

/** Chunks of the decompressed file; each is valid until the next is asked for. */
export async function* plainBytes(path: string, start: number, allowance: Allowance): AsyncGenerator<Buffer> {
  const codec = codecOf(await headOf(path, 4));
  if (codec === null) yield* readChunks(path, { start });
  else yield* without(allowance.of(inflate(readChunks(path, { size: COMPRESSED_CHUNK }), codec)), start);
}

async function* without(chunks: AsyncIterable<Buffer>, start: number): AsyncGenerator<Buffer> {
  let left = start;
  for await (const chunk of chunks) {
    if (left < chunk.length) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}

async function headOf(path: string, length: number): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const head = Buffer.alloc(length);
    const { bytesRead } = await file.read(head, 0, length, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
