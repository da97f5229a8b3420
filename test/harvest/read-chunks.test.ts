/** Tests reading files in chunks. The buffer is at most as large as the file, so that a small file does not need a megabyte. */

import { createHash } from "node:crypto";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { fileDigest } from "../../pipeline/files/durable.ts";
import { readChunks } from "../../pipeline/files/line-batches.ts";

const folder = mkdtempSync(join(tmpdir(), "share-chunks-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MEBIBYTE = 1 << 20;
const SIZES = [0, 1, 3000, 4096, 100_000, MEBIBYTE - 1, MEBIBYTE, MEBIBYTE + 1, 3 * MEBIBYTE];

function madeFile(size: number): { path: string; content: Buffer } {
  const path = join(folder, `${size}.bin`);
  const content = Buffer.from(Array.from({ length: size }, (_, i) => (i * 31) % 251));
  writeFileSync(path, content);
  return { path, content };
}

test.each(SIZES)("a file of %d bytes is read completely, and its buffer is not larger than the file", async (size) => {
  const { path, content } = madeFile(size);
  const read: Buffer[] = [];
  for await (const chunk of readChunks(path)) {
    // Node allocates small buffers in a shared pool of `poolSize` bytes, so their memory can be larger than the file.
    expect(chunk.buffer.byteLength).toBeLessThanOrEqual(Math.max(Buffer.poolSize, Math.min(size, MEBIBYTE)));
    read.push(Buffer.from(chunk));
  }
  expect(Buffer.concat(read).equals(content)).toBe(true);
  expect(await fileDigest(path)).toBe(createHash("sha256").update(content).digest("hex"));
});

test("a file that grows while it is read is read to its new end", async () => {
  const { path, content } = madeFile(5000);
  const read: Buffer[] = [];
  for await (const chunk of readChunks(path)) {
    if (read.length === 0) appendFileSync(path, content);
    read.push(Buffer.from(chunk));
  }
  expect(Buffer.concat(read).equals(Buffer.concat([content, content]))).toBe(true);
});

test.each([0, 1, 4999, 5000, 6000])("a file can be read from byte %d on", async (start) => {
  const { path, content } = madeFile(5000);
  const read: Buffer[] = [];
  for await (const chunk of readChunks(path, { start })) read.push(Buffer.from(chunk));
  expect(Buffer.concat(read).equals(content.subarray(start))).toBe(true);
});
