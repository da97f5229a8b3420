/** Some kilobytes of a dump neither exhaust a harvest nor fill the disk, and what was wrong is on record. */

import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { REFUSALS } from "../../schemas/public/problem.ts";
import { refusalsOf, temporaryStore } from "../harvest/bench-store.ts";
import { TINY_DUMPS } from "./tiny-dumps.ts";

const CHILD = join(import.meta.dirname, "dump-child.ts");

/** What a harvest may take: the largest document, parsed, and what reads it. */
const HEAP_MEGABYTES = 512;
const MOST_MEGABYTES = 900;

const told = z.object({
  megabytes: z.number(),
  summary: z.object({ records: z.int(), refused: z.record(z.enum(REFUSALS), z.int()), complete: z.boolean() }),
});

const withoutZeros = (counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

describe("a harvest reads to the end of", () => {
  test.each(TINY_DUMPS)("$name", { timeout: 600_000 }, async ({ source, file, bytes, records, refused }) => {
    await using bench = await temporaryStore();
    const path = join(bench.folder, file);
    const dump = bytes();
    expect(dump.length).toBeLessThan(MEGABYTE);
    await writeFile(path, dump);
    const child = [`--max-old-space-size=${HEAP_MEGABYTES}`, CHILD, bench.store.root, source, path];
    const { stdout } = await promisify(execFile)(process.execPath, child);

    const { summary, megabytes } = told.parse(JSON.parse(stdout));
    expect(summary.records).toBe(records);
    expect(withoutZeros(summary.refused)).toEqual(refused);
    expect(megabytes).toBeLessThan(MOST_MEGABYTES);

    // A thousand are told one by one; all are counted.
    const lines = await refusalsOf(bench.store, source);
    const onRecord: Record<string, number> = {};
    for (const { reason, count = 1 } of lines) onRecord[reason] = (onRecord[reason] ?? 0) + count;
    expect(onRecord).toEqual(refused);
    expect(lines.length).toBeLessThan(1100);
    for (const { file: name } of lines) expect(name.length).toBeLessThan(1000);
    expect(statSync(join(bench.store.raw(source), "refused.ndjson")).size).toBeLessThan(MEGABYTE);
  });
});

const MEGABYTE = 1024 * 1024;
