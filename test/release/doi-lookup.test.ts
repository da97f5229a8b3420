/** Tests the look-up table of DOIs with a real DuckDB: as many records with one DOI as a bucket can hold, and one more. */

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DoisTooClose, writeDoiLookup } from "../../pipeline/6-release/doi-lookup.ts";
import { openDuckDB } from "../../pipeline/engine/open.ts";

/** The size of a bucket in bytes, and the number of entries that fit into it (docs/packs.md). */
const [BUCKET, FIT] = [4096, 170];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "share-lookup-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the bytes of the look-up table for `each` records with a DOI of their own and `same` records that share one DOI. */
async function measureSize(each: number, same: number): Promise<number> {
  const db = await openDuckDB({ threads: 1 });
  try {
    await db.run(`create table record as
      select 'r' || lpad(to_hex(i), 24, '0') as id, case when i < ${each} then '10.5072/' || i else '10.5072/same' end as doi
      from range(${each + same}) as numbers(i)`);
    const file = join(folder, `${each}-${same}.bin`);
    await writeDoiLookup(db, file);
    return statSync(file).size;
  } finally {
    await db.close();
  }
}

test.each([
  { each: 0, same: 0, buckets: 1 },
  { each: 96, same: 0, buckets: 1 },
  { each: 97, same: 0, buckets: 2 },
  { each: 0, same: FIT, buckets: 2 },
])(
  "the DOI look-up table of $each records with their own DOI and $same with one shared DOI has $buckets buckets",
  async ({ each, same, buckets }) => {
    expect(await measureSize(each, same)).toBe(buckets * BUCKET);
  },
);

test("the DOI look-up table rejects 171 records with one DOI, and the error names the DOI's records", async () => {
  const rejected = await measureSize(0, FIT + 1).catch((error: unknown) => error);
  expect(rejected).toBeInstanceOf(DoisTooClose);
  expect(String(rejected)).toContain(`${FIT + 1} records with the same DOI`);
  expect(String(rejected)).toContain("r000000000000000000000000");
});
