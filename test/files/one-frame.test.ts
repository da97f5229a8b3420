/** A text is compressed as exactly one zstd frame, whatever its length. */

import { randomBytes } from "node:crypto";
import { zstdDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { oneFrame } from "../../pipeline/files/inflate.ts";

/**
 * Lengths of random bytes. With one of them the frame ends exactly at the end of a chunk, because Node's chunks have 16 KiB.
 */
const LENGTHS = Array.from({ length: 64 }, (_, i) => 16_384 - 48 + i);

/** The number with which a zstd frame begins. */
const MAGIC = 0xfd2fb528;

test("oneFrame compresses bytes as one zstd frame even if the frame ends exactly at the end of a chunk", () => {
  for (const length of [9, 131_072, ...LENGTHS]) {
    const bytes = randomBytes(length);
    const packed = oneFrame(bytes, 3);
    expect(zstdDecompressSync(packed).equals(bytes)).toBe(true);
    // An empty frame has nine bytes.
    expect(packed.subarray(-9).readUInt32LE(0)).not.toBe(MAGIC);
  }
});
