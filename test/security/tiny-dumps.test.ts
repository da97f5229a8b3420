/** Dumps of some kilobytes that unpack to far more neither exhaust a harvest nor fill the disk, and their faults are logged. */

import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { REJECTIONS } from "../../schemas/public/problem.ts";
import { readRejections } from "../harvest/bench-store.ts";
import { makeTar, makeZip } from "../support/archives.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { IS_SOAK } from "../tiers.ts";

const MEBIBYTE = 1024 * 1024;
const MANY_LINES = IS_SOAK ? MEBIBYTE : MEBIBYTE / 4;

interface TinyDump {
  readonly name: string;
  readonly source: string;
  readonly file: string;
  readonly bytes: () => Buffer;
  /** The number of stored records. */
  readonly records: number;
  /** The number of rejections for each reason. */
  readonly rejected: Readonly<Record<string, number>>;
}

const packed = (text: string) => gzipSync(Buffer.from(text), { level: 9 });
const list = (element: string, count: number) => packed(`[${`${element},`.repeat(count - 1)}${element}]`);

const TINY_DUMPS: readonly TinyDump[] = [
  {
    name: "a name of 60,000 characters and 20,000 rejected lines",
    source: "zenodo",
    file: "dump.tar.gz",
    bytes: () =>
      gzipSync(makeTar([{ name: `${"n".repeat(60_000)}.jsonl`, bytes: Buffer.from("{\n".repeat(20_000)) }]), {
        level: 9,
      }),
    records: 0,
    rejected: { truncated: 20_000 },
  },
  {
    name: "60 MiB of ones in one list",
    source: "zenodo",
    file: "dump.json.gz",
    bytes: () => list("1", 30 * MEBIBYTE),
    records: 0,
    rejected: { "too-large": 1 },
  },
  {
    name: "60 MiB of empty objects",
    source: "datacite",
    file: "dump.json.gz",
    bytes: () => list("{}", 20 * MEBIBYTE),
    records: 0,
    rejected: { "too-large": 1 },
  },
  {
    name: "the maximum number of small values",
    source: "zenodo",
    file: "dump.json.gz",
    bytes: () => list("{}", 1_900_000),
    records: 0,
    // All items after the last one that is read count as one rejection.
    rejected: { "no-identifier": 500_000, "too-large": 1 },
  },
  {
    name: "far more rejected lines than the report lists",
    source: "zenodo",
    file: "dump.jsonl.gz",
    bytes: () => packed("{\n".repeat(4 * MANY_LINES)),
    records: 0,
    rejected: { truncated: 4 * MANY_LINES },
  },
  {
    name: "lines that only a parser rejects",
    source: "zenodo",
    file: "dump.jsonl.gz",
    bytes: () => packed("{,}\n".repeat(MANY_LINES)),
    records: 0,
    rejected: { "not-json": MANY_LINES },
  },
  {
    name: "one record named three million times",
    source: "geo",
    file: "dump.json.gz",
    bytes: () => {
      const uids = `${'"1",'.repeat(3 * MEBIBYTE)}"1"`;
      return packed(`{"result":{"uids":[${uids}],"1":{"uid":"1","accession":"GSE1","entrytype":"GSE"}}}`);
    },
    records: 1,
    rejected: {},
  },
  {
    name: "600,000 elements in one XML document",
    source: "edi",
    file: "dump.xml.gz",
    bytes: () => packed(`<eml>${"<a/>".repeat(600_000)}</eml>`),
    records: 0,
    rejected: { "too-large": 1 },
  },
  {
    name: "a hundred thousand empty archive members",
    source: "zenodo",
    file: "dump.tar.gz",
    bytes: () =>
      gzipSync(makeTar(Array.from({ length: 100_000 }, (_, i) => ({ name: `${i}`, bytes: Buffer.alloc(0) })))),
    records: 0,
    rejected: { empty: 100_000 },
  },
  {
    name: "a decompression bomb in a compressed archive",
    source: "zenodo",
    file: "dump.tar.gz",
    bytes: () => gzipSync(makeTar([{ name: "bomb.jsonl.zst", bytes: bombWithin() }])),
    records: 0,
    rejected: { "too-large": 1 },
  },
  {
    name: "a decompression bomb in a ZIP archive",
    source: "zenodo",
    file: "dump.zip",
    bytes: () => makeZip([{ name: "bomb.jsonl.zst", bytes: bombWithin() }]),
    records: 0,
    rejected: { "too-large": 1 },
  },
];

/** Makes a gigabyte of line ends that compress to some kilobytes. */
function bombWithin(): Buffer {
  return zstdCompressSync(Buffer.alloc(1024 * MEBIBYTE, "\n"));
}

const CHILD = join(import.meta.dirname, "dump-child.ts");

/** The memory limit of a harvest, in megabytes. It is enough to parse and read the largest document. */
const HEAP_MEGABYTES = 512;
const MAX_MEGABYTES = 900;

const told = z.object({
  megabytes: z.number(),
  summary: z.object({ records: z.int(), rejected: z.record(z.enum(REJECTIONS), z.int()), complete: z.boolean() }),
});

const withoutZeros = (counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

describe("a harvest reads to the end", () => {
  test.each(TINY_DUMPS)(
    "a small dump is read to its end in limited memory: $name",
    { timeout: 600_000 },
    async ({ source, file, bytes, records, rejected }) => {
      await using bench = await temporaryStore();
      const path = join(bench.folder, file);
      const dump = bytes();
      expect(dump.length).toBeLessThan(MEGABYTE);
      await writeFile(path, dump);
      const child = [`--max-old-space-size=${HEAP_MEGABYTES}`, CHILD, bench.store.root, source, path];
      const { stdout } = await promisify(execFile)(process.execPath, child);

      const { summary, megabytes } = told.parse(JSON.parse(stdout));
      expect(summary.records).toBe(records);
      expect(withoutZeros(summary.rejected)).toEqual(rejected);
      expect(megabytes).toBeLessThan(MAX_MEGABYTES);

      // The report lists a thousand rejections one by one, and counts all of them.
      const lines = await readRejections(bench.store, source);
      const onRecord: Record<string, number> = {};
      for (const { reason, count = 1 } of lines) onRecord[reason] = (onRecord[reason] ?? 0) + count;
      expect(onRecord).toEqual(rejected);
      expect(lines.length).toBeLessThan(1100);
      for (const { file: name } of lines) expect(name.length).toBeLessThan(1000);
      expect(statSync(join(bench.store.raw(source), "rejected.ndjson")).size).toBeLessThan(MEGABYTE);
    },
  );
});

const MEGABYTE = 1024 * 1024;
