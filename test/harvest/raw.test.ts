/** Tests the folder of harvested payloads: its numbered files (parts), its lock, and the reading of compressed files. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Codec, detectCodec, inflate } from "../../pipeline/files/inflate.ts";
import { isLocked, lockFolder, lockHolder } from "../../pipeline/store/locks.ts";
import {
  digestPart,
  listParts,
  nextPartNumber,
  PartWriter,
  partName,
  readBatches,
  readLines,
} from "../../pipeline/store/raw-parts.ts";
import { temporaryStore } from "../support/temporary-store.ts";

async function* chunked(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function inflated(bytes: Buffer, codec: Codec, size: number): Promise<{ text: string; code: unknown }> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of inflate(chunked(bytes, size), codec)) pieces.push(piece);
  } catch (error) {
    return {
      text: Buffer.concat(pieces).toString(),
      code: error instanceof Error && "code" in error ? error.code : error,
    };
  }
  return { text: Buffer.concat(pieces).toString(), code: null };
}

describe("the decompression of parts", () => {
  test("decompression returns the content of several compressed frames, however the input is divided into chunks", async () => {
    const parts = fc.array(fc.string({ maxLength: 3000 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(parts, fc.integer({ min: 1, max: 5000 }), async (texts, size) => {
        for (const [codec, pack] of [
          ["gzip", gzipSync],
          ["zstd", zstdCompressSync],
        ] as const) {
          const bytes = Buffer.concat(texts.map((text) => pack(Buffer.from(text))));
          expect(detectCodec(bytes)).toBe(codec);
          expect(await inflated(bytes, codec, size)).toEqual({ text: texts.join(""), code: null });
        }
      }),
      { numRuns: 40 },
    );
  });

  test.each([
    { codec: "gzip" as const, pack: gzipSync },
    { codec: "zstd" as const, pack: zstdCompressSync },
  ])(
    "decompression returns the start of a truncated $codec stream, and then reports the fault",
    async ({ codec, pack }) => {
      const text = Array.from({ length: 50_000 }, (_, i) => `${i} `).join("");
      const bytes = pack(Buffer.from(text));
      for (const share of [0.2, 0.5, 0.99]) {
        const { text: got, code } = await inflated(bytes.subarray(0, Math.floor(bytes.length * share)), codec, 1000);
        expect(code).toBe("damaged-stream");
        expect(text.startsWith(got)).toBe(true);
      }
    },
  );

  test("decompression accepts zero bytes after a gzip stream", async () => {
    const bytes = Buffer.concat([gzipSync("text"), Buffer.alloc(10_000)]);
    expect(await inflated(bytes, "gzip", 512)).toEqual({ text: "text", code: null });
  });

  test("decompression returns a gigabyte that was compressed to a few kilobytes piece by piece, within 200 MB of memory", async () => {
    const bomb = Buffer.concat(Array.from({ length: 100 }, () => zstdCompressSync(Buffer.alloc(10 * 1024 * 1024))));
    let size = 0;
    const before = process.memoryUsage().rss;
    let most = before;
    for await (const piece of inflate(chunked(bomb, 64 * 1024), "zstd")) {
      size += piece.length;
      most = Math.max(most, process.memoryUsage().rss);
    }
    expect(size).toBe(1000 * 1024 * 1024);
    expect(most - before).toBeLessThan(200 * 1024 * 1024);
  });
});

describe("the parts of the folder of payloads", () => {
  test("parts of raw payloads are listed in the order of their numbers once they are complete", async () => {
    await using bench = await temporaryStore();
    const folder = join(bench.folder, "raw");
    expect(await listParts(folder)).toEqual([]);
    await mkdir(folder);
    for (const number of [2, 10, 1_000_000]) {
      const part = new PartWriter(folder, number);
      await part.write(`line ${number}`);
      await part.write("é\u2028😀");
      await part.seal();
      expect((await listParts(folder)).map(({ name }) => name)).not.toContain(partName(number));
      await part.publish();
    }
    const parts = await listParts(folder);
    expect(parts.map(({ name }) => name)).toEqual(["000002.ndjson.zst", "000010.ndjson.zst", "1000000.ndjson.zst"]);
    expect(await nextPartNumber(folder)).toBe(1_000_001);
    const first = parts[0];
    if (first === undefined) throw new Error("the folder has no part");
    const lines: string[] = [];
    for await (const line of readLines(first.path)) lines.push(line);
    expect(lines).toEqual(["line 2", "é\u2028😀"]);
    expect(first.bytes).toBe((await readFile(first.path)).length);
    expect(await digestPart(first)).toMatch(/^[0-9a-f]{64}$/);
  });

  test("parts of raw payloads contain lines of any length in the order in which they were written", async () => {
    await using bench = await temporaryStore();
    const lines = Array.from({ length: 3000 }, (_, i) => `${i}${"ü€".repeat((i * 37) % 900)}`);
    lines.push("x".repeat(3_000_000), "end");
    const part = new PartWriter(bench.folder, 1);
    for (const line of lines) await part.write(line);
    await part.seal();
    await part.publish();
    const read: string[] = [];
    await readBatches(part.path, (batch) => {
      read.push(...batch);
    });
    expect(read).toEqual(lines);
  });

  test("cause an error when they are read if they are damaged", async () => {
    await using bench = await temporaryStore();
    const part = new PartWriter(bench.folder, 1);
    for (let i = 0; i < 1000; i++) await part.write(`${i} ${(i * 7919) % 1013}`);
    await part.seal();
    await part.publish();
    const bytes = await readFile(part.path);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0xff;
    await writeFile(part.path, bytes);
    await expect(readBatches(part.path, () => {})).rejects.toMatchObject({ code: "damaged-stream" });
  });
});

describe("locks of folders", () => {
  test("the lock of a folder is held by one holder at a time, and is free after its release", async () => {
    await using bench = await temporaryStore();
    const unlock = await lockFolder(bench.folder);
    await expect(lockFolder(bench.folder)).rejects.toMatchObject({ code: "store-locked" });
    await unlock();
    await (await lockFolder(bench.folder))();
  });

  test("the lock of a folder is given to only one of ten callers that request it at the same time", async () => {
    await using bench = await temporaryStore();
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => lockFolder(bench.folder)));
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("the lock of a folder is respected while its process runs, and replaced once the process has ended", async () => {
    await using bench = await temporaryStore();
    const script = `import(${JSON.stringify(join(import.meta.dirname, "../../pipeline/store/locks.ts"))})
      .then(({ lockFolder }) => lockFolder(${JSON.stringify(bench.folder)}))
      .then(() => { console.log("held"); setInterval(() => {}, 1000); });`;
    const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    await expect(lockFolder(bench.folder)).rejects.toThrow(`process ${child.pid}`);
    child.kill("SIGKILL");
    await once(child, "close");
    await (await lockFolder(bench.folder))();
  });

  test("the lock of a folder is respected if it is a link, as an earlier version made it, and the error says how to remove it", async () => {
    await using bench = await temporaryStore();
    await mkdir(bench.folder, { recursive: true });
    await symlink("1@#0123456789abcdef", join(bench.folder, "lock"));
    await expect(lockFolder(bench.folder)).rejects.toThrow(/lock is not a lock\. If no process works .* remove it/);
    expect(await readdir(bench.folder)).toEqual(["lock"]);
  });

  test("the lock of a folder is left unchanged if it is another kind of file", async () => {
    await using bench = await temporaryStore();
    await writeFile(join(bench.folder, "lock"), JSON.stringify({ pid: 1 }));
    await expect(lockFolder(bench.folder)).rejects.toMatchObject({ code: "ERR_LOCK_UNUSABLE" });
    expect(await readFile(join(bench.folder, "lock"), "utf8")).toBe('{"pid":1}');
  });

  test("the lock of a folder stays in place if the folder was made again and the holder of the old lock releases it", async () => {
    await using bench = await temporaryStore();
    const first = await lockFolder(bench.folder);
    await rm(bench.folder, { recursive: true });
    const second = await lockFolder(bench.folder);
    await first();
    expect(isLocked(bench.folder)).toBe(true);
    await second();
    expect(isLocked(bench.folder)).toBe(false);
  });

  test("the lock of a folder stores its process in the target of a link, which needs no space on the disk", async () => {
    await using bench = await temporaryStore();
    const unlock = await lockFolder(bench.folder);
    expect(await readdir(bench.folder)).toEqual(["lock", "lock.holder"]);
    expect(Buffer.byteLength(await readlink(join(bench.folder, "lock.holder")))).toBeLessThan(60);
    expect(await lockHolder(bench.folder)).toEqual({ pid: process.pid, host: hostname() });
    await unlock();
    expect(await readdir(bench.folder)).toEqual([]);
  });
});
