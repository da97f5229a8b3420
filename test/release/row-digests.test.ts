/** Tests that row digests that were kept from an earlier build give the same table roots as digests of all rows. */

import { createHash, hash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyChanges, KEY, type RowChange, readRecords, TableRoot } from "../../pipeline/6-release/digest.ts";
import { temporaryStore } from "../support/temporary-store.ts";

/** Random keys with few different first digits, so that many rows are in the same shard and next to each other. */
const rows = fc.dictionary(
  fc.stringMatching(/^[01][0-3][0f][0-2]$/).map((digits) => digits.padEnd(2 * KEY, "7")),
  fc.nat().map((value) => hash("sha256", String(value))),
  { maxKeys: 60 },
);

type Rows = Readonly<Record<string, string>>;

describe("roots of tables", () => {
  test("the root of a table covers the shards in order, and the rows of a shard in the order of their keys", () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 5 }), (all, atOnce) => {
        const root = new TableRoot();
        for (const batch of inBatches(recordsIn(all), atOnce)) root.add(batch);
        expect(root.digest()).toBe(rootBySentence(all));
      }),
    );
  });

  test("the root of a table is the digest of the empty text for an empty table", () => {
    expect(new TableRoot().digest()).toBe(`sha256:${hash("sha256", "")}`);
  });

  test("the root of a table is right even if a shard has more rows than fit into the memory that was allocated first", () => {
    const all = Object.fromEntries(
      Array.from({ length: 5000 }, (_, i) => [
        `abc${hash("sha256", `${i}`).slice(3, 2 * KEY)}`,
        hash("sha256", `row ${i}`),
      ]),
    );
    const root = new TableRoot();
    root.add(recordsIn(all));
    expect(root.digest()).toBe(rootBySentence(all));
  });
});

describe("digests of changed rows", () => {
  test("the digests of changed rows can be merged into those of the earlier table, and then equal those of the new table", async () => {
    await fc.assert(
      fc.asyncProperty(rows, rows, fc.integer({ min: 1, max: 7 }), async (before, after, atOnce) => {
        const merged: Buffer[] = [];
        const changes = changesBetween(before, after);
        for await (const batch of applyChanges(
          flow(inBatches(recordsIn(before), atOnce)),
          flow(cut(changes, atOnce)),
        )) {
          merged.push(batch);
        }
        expect(Buffer.concat(merged).equals(recordsIn(after))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

test("a stored file of row digests is read in batches to its end, and its digest covers every byte", async () => {
  await using temporary = await temporaryStore();
  const path = join(temporary.folder, "rows");
  const all = Object.fromEntries(
    Array.from({ length: 40_000 }, (_, i) => [hash("sha256", `${i}`).slice(0, 2 * KEY), hash("sha256", `row ${i}`)]),
  );
  const bytes = recordsIn(all);
  await writeFile(path, bytes);
  const read = createHash("sha256");
  const batches: Buffer[] = [];
  for await (const batch of readRecords(path, read)) {
    expect(batch.length % (bytes.length / 40_000)).toBe(0);
    batches.push(batch);
  }
  expect(batches.length).toBeGreaterThan(1);
  expect(Buffer.concat(batches).equals(bytes)).toBe(true);
  expect(read.digest("hex")).toBe(hash("sha256", bytes));
});

/** Computes the root of a table as ADR 2 defines it, without the code under test. */
function rootBySentence(all: Rows): string {
  const keys = Object.keys(all).sort();
  const shards = [...new Set(keys.map((key) => key.slice(0, 3)))];
  const lines = shards.map((shard) => {
    const digests = keys.filter((key) => key.startsWith(shard)).map((key) => all[key]);
    return `${shard} ${hash("sha256", digests.join(""))}\n`;
  });
  return `sha256:${hash("sha256", lines.join(""))}`;
}

function recordsIn(all: Rows): Buffer {
  const keys = Object.keys(all).sort();
  return Buffer.from(keys.map((key) => key + all[key]).join(""), "hex");
}

function inBatches(records: Buffer, atOnce: number): Buffer[] {
  const size = atOnce * (KEY + 32);
  const count = Math.ceil(records.length / size);
  return Array.from({ length: count }, (_, i) => records.subarray(i * size, (i + 1) * size));
}

function changesBetween(before: Rows, after: Rows): RowChange[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return keys
    .filter((key) => before[key] !== after[key])
    .map((key) => ({
      key: Buffer.from(key, "hex"),
      row: after[key] === undefined ? null : Buffer.from(after[key], "hex"),
    }));
}

function cut<T>(all: readonly T[], atOnce: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / atOnce) }, (_, i) => all.slice(i * atOnce, (i + 1) * atOnce));
}

async function* flow<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values;
}
