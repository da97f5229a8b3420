/** Sets of rows: read from DuckDB, intersected, and given back to DuckDB. */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, openDuckDB } from "../../pipeline/engine/open.ts";
import { RowSet } from "../../server/read/row-set.ts";

/** More than one vector of DuckDB, and not a whole number of words. */
const ROWS = 3001;
const SIZE = RowSet.sizeFor(ROWS);

describe("a set of rows", () => {
  let db: Database;

  beforeAll(async () => {
    db = await openDuckDB({ threads: 2, memory: "256MB" });
    await db.run(`create table listed as select cast(i as integer) as position from range(${ROWS}) as rows (i)`);
  });

  afterAll(() => db.close());

  /** Every `step`th row from `first` on, so that sets are dense and sparse. */
  const condition = fc.record({ first: fc.nat(ROWS + 100), step: fc.constantFrom(1, 2, 3, 7, 31, 33, 500) });
  const rowsOf = ({ first, step }: { readonly first: number; readonly step: number }) =>
    Array.from({ length: ROWS }, (_, i) => i).filter((i) => i >= first && (i - first) % step === 0);

  async function read({ first, step }: { readonly first: number; readonly step: number }): Promise<RowSet> {
    const sql = "select position from listed where position >= $first and (position - $first) % $step = 0";
    return RowSet.fromBits(await db.positionBits(sql, SIZE, { first, step }), SIZE);
  }

  test("has the rows that meet every condition, whether they are many or few", async () => {
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

  test("does not change when it is intersected with another", async () => {
    const even = await read({ first: 0, step: 2 });
    RowSet.intersect([even, await read({ first: 0, step: 3 })]);
    expect(even.positions()).toEqual(rowsOf({ first: 0, step: 2 }));
  });

  test("takes less memory with few rows than with many", async () => {
    const [all, few] = [await read({ first: 0, step: 1 }), await read({ first: 0, step: 500 })];
    expect(all.bytes).toBe(SIZE / 8 + 1);
    expect(few.bytes).toBe(4 * few.count);
  });

  test("has one word for an empty list", () => {
    expect(RowSet.sizeFor(0)).toBe(32);
    expect(RowSet.fromBits(null, 32).positions()).toEqual([]);
  });
});
