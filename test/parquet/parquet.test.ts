/** Parquet files that the program writes without the engine: the engine reads the rows that were written. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { ParquetFile } from "../../pipeline/engine/parquet.ts";
import { sqlType, type Table, type TableRow } from "../../schemas/public/tables.ts";
import { temporaryStore } from "../support/temporary-store.ts";

const TABLE = {
  name: "made_up",
  grain: "one row",
  key: ["place"],
  columns: { place: "int", said: "text", flag: "bool", bits: "bigint", number: "int", never: "text" },
  always: ["said"],
} as const satisfies Table;
type Row = TableRow<typeof TABLE>;

async function write(path: string, rows: readonly Row[], drainEvery = 100): Promise<void> {
  const file = await ParquetFile.create(path, TABLE);
  for (const [i, row] of rows.entries()) {
    file.append(row);
    if (i % drainEvery === 0) await file.drain();
  }
  await file.close();
}

async function read(path: string): Promise<unknown[]> {
  const db = await openDuckDB({ threads: 1 });
  try {
    return await db.rows(`select * from read_parquet(${quote(path)}) order by place`);
  } finally {
    db.close();
  }
}

const row = fc.record({
  said: fc.oneof(fc.string({ unit: "binary", maxLength: 60 }), fc.string({ unit: "binary-ascii", maxLength: 60 })),
  flag: fc.option(fc.boolean()),
  bits: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  number: fc.option(fc.integer()),
});

test("the engine reads the rows of a Parquet file as they were written, and the same rows give the same bytes", async () => {
  await using place = await temporaryStore();
  const path = join(place.folder, "rows.parquet");
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 40 }), async (made) => {
      const rows = made.map((each, i) => ({ place: i, ...each, never: null }));
      await write(path, rows);
      const bytes = await readFile(path);
      expect(await read(path)).toEqual(rows);
      await write(path, rows);
      expect(await readFile(path)).toEqual(bytes);
    }),
    { numRuns: 60 },
  );
});

/** Cases with so many rows, or such long texts in the column `said`, that pages grow and row groups end. */
const MANY: readonly { name: string; rows: number; length: number; groups: number }[] = [
  { name: "one row group with more bits than the initial capacity of a column", rows: 200_000, length: 1, groups: 1 },
  { name: "several row groups", rows: 5000, length: 10_000, groups: 3 },
];

for (const { name, rows: count, length, groups } of MANY) {
  test(`the engine reads many rows of a Parquet file as they were written: ${name}`, async () => {
    await using place = await temporaryStore();
    const path = join(place.folder, "rows.parquet");
    const makeRow = (i: number): Row => ({
      place: i,
      said: `${i}`.padEnd(length, "é"),
      flag: i % 3 === 0 ? null : i % 2 === 0,
      bits: i < count - 1 ? 7n : null,
      number: i > 100 ? i : null,
      never: null,
    });
    await write(
      path,
      Array.from({ length: count }, (_, i) => makeRow(i)),
    );
    const db = await openDuckDB({ threads: 1 });
    try {
      let i = 0;
      for await (const batch of db.stream(`select * from read_parquet(${quote(path)}) order by place`)) {
        for (const cells of batch) {
          expect(cells).toEqual(Object.values(makeRow(i)));
          i += 1;
        }
      }
      expect(i).toBe(count);
      const [found] = await db.rows(
        `select count(distinct row_group_id) as groups from parquet_metadata(${quote(path)})`,
      );
      expect(Number(found?.groups)).toBeGreaterThanOrEqual(groups);
    } finally {
      db.close();
    }
  });
}

test("a Parquet file without rows still has the columns and types of its table", async () => {
  await using place = await temporaryStore();
  const path = join(place.folder, "none.parquet");
  await write(path, []);
  const db = await openDuckDB({ threads: 1 });
  try {
    const described = await db.rows(`describe select * from read_parquet(${quote(path)})`);
    const types = described.map((column) => [column.column_name, String(column.column_type).toLowerCase()]);
    expect(types).toEqual(Object.entries(TABLE.columns).map(([name, type]) => [name, sqlType(type)]));
  } finally {
    db.close();
  }
});

test("half of a surrogate pair is written to a Parquet file as a replacement character", async () => {
  await using place = await temporaryStore();
  const path = join(place.folder, "rows.parquet");
  const said = "half \ud800 of a pair, and one that is whole \u{1f600}, over thirty-two letters";
  await write(path, [{ place: 0, said, flag: null, bits: null, number: null, never: null }]);
  expect(await read(path)).toMatchObject([{ said: said.toWellFormed() }]);
});

test.each([
  { column: "said", type: "text", values: [5, 7n, true] },
  { column: "number", type: "int", values: ["5", 7n, true] },
  { column: "bits", type: "bigint", values: ["5", 7, true] },
  { column: "flag", type: "bool", values: ["5", 7n, 1] },
])("writing a value that is not $type into the column $column is an error", async ({ column, type, values }) => {
  await using place = await temporaryStore();
  const file = await ParquetFile.create(join(place.folder, "rows.parquet"), TABLE);
  const row: Row = { place: 0, said: "right", flag: true, bits: 1n, number: 1, never: null };
  file.append(row);
  for (const value of values) {
    expect(() => file.append({ ...row, [column]: value })).toThrow(
      `the column ${column} of made_up has the type ${type}, but a value has the type ${typeof value}; report this`,
    );
  }
  await file.abandon();
});

test("simultaneous writers of a Parquet file do not interfere, because unfinished files have other names", async () => {
  await using place = await temporaryStore();
  const path = join(place.folder, "rows.parquet");
  const names = async () => (await readdir(place.folder)).filter((name) => name.includes("rows")).sort();
  const [one, other, third] = await Promise.all([1, 2, 3].map(() => ParquetFile.create(path, TABLE)));
  const line = (said: string) => ({ place: 0, said, flag: null, bits: null, number: null, never: null });
  expect((await names()).filter((name) => /^\..*\.tmp$/.test(name))).toHaveLength(3);
  one?.append(line("one"));
  other?.append(line("other"));
  await third?.abandon();
  await one?.close();
  expect(await read(path)).toMatchObject([{ said: "one" }]);
  await other?.close();
  expect(await read(path)).toMatchObject([{ said: "other" }]);
  expect(await names()).toEqual(["rows.parquet"]);
});
