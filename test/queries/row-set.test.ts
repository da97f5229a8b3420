/** RowSet, a set of row positions: read from DuckDB as bits, intersected with others, and passed back to DuckDB. */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, openDuckDB } from "../../pipeline/engine/open.ts";
import { RowSet } from "../../server/read/row-set.ts";

/** Number of rows. It exceeds one DuckDB vector (2,048 rows), and is not a multiple of the 32 bits in a word. */
const ROWS = 3001;
const SIZE = RowSet.sizeFor(ROWS);

describe("a set of rows", () => {
  let db: Database;

  beforeAll(async () => {
    db = await openDuckDB({ threads: 2, memory: "256MB" });
    await db.run(`create table listed as select cast(i as integer) as position from range(${ROWS}) as rows (i)`);
  });

  afterAll(() => db.close());

  /** Random conditions that select every `step`th row from `first` on, so that some sets are dense and others sparse. */
  const condition = fc.record({ first: fc.nat(ROWS + 100), step: fc.constantFrom(1, 2, 3, 7, 31, 33, 500) });
  const rowsOf = ({ first, step }: { readonly first: number; readonly step: number }) =>
    Array.from({ length: ROWS }, (_, i) => i).filter((i) => i >= first && (i - first) % step === 0);

  async function read({ first, step }: { readonly first: number; readonly step: number }): Promise<RowSet> {
    const sql = "select position from listed where position >= $first and (position - $first) % $step = 0";
    return RowSet.fromBits(await db.positionBits(sql, SIZE, { first, step }), SIZE);
  }

  test("an intersection of row sets has exactly the rows that meet every condition", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(condition, { minLength: 1, maxLength: 4 }), async (conditions) => {
        const set = RowSet.intersect(await Promise.all(conditions.map(read)));
        const expected = conditions.map(rowsOf).reduce((all, rows) => all.filter((row) => rows.includes(row)));
        expect(set.positions()).toEqual(expected);
        expect(set.count).toBe(expected.length);
        expect(Array.from({ length: ROWS }, (_, i) => i).filter((i) => set.has(i))).toEqual(expected);
        const rows = await db.rows(
          "select position from listed where get_bit($selected, position) = 1 order by position",
          { selected: set.toParameter() },
        );
        expect(rows.map(({ position }) => position)).toEqual(expected);
      }),
      { numRuns: 60, seed: 5 },
    );
  });

  test("a row set does not change when it is intersected with another", async () => {
    const even = await read({ first: 0, step: 2 });
    RowSet.intersect([even, await read({ first: 0, step: 3 })]);
    expect(even.positions()).toEqual(rowsOf({ first: 0, step: 2 }));
  });

  test("a row set with few rows takes four bytes for each, and one with many rows a bit for each row of the list", async () => {
    const [all, few] = [await read({ first: 0, step: 1 }), await read({ first: 0, step: 500 })];
    expect(all.bytes).toBe(SIZE / 8 + 1);
    expect(few.bytes).toBe(4 * few.count);
  });

  test("the row set of an empty list has the size of one word", () => {
    expect(RowSet.sizeFor(0)).toBe(32);
    expect(RowSet.fromBits(null, 32).positions()).toEqual([]);
  });
});
