/**
 * Compares the numbers of rows in the footers of Parquet files with the receipt, before any row is read. A damaged or
 * hostile file of a few kilobytes can claim millions of equal rows, which would take minutes and gigabytes to digest.
 */

import { openDuckDB, partsIn, quote } from "../../pipeline/engine/open.ts";
import { releaseTablePaths } from "../../pipeline/pages/columns.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { listReleaseTables, publishedName } from "../../schemas/public/tables.ts";
import type { Found } from "./finding.ts";

/** Largest number of rows in a table: `each` for every payload, plus `all`. This is far more than any source needs. */
const MAX_ROWS = { each: 1000, all: 100_000 } as const;

/**
 * Checks the numbers of rows that the files state. Returns false if a table has too many rows to be read. A missing or
 * damaged file is reported later, when its table is read.
 */
export async function verifyRowCounts(folder: string, receipt: Receipt, found: Found): Promise<boolean> {
  const { harvested } = receipt.coverage;
  const most = MAX_ROWS.each * harvested + MAX_ROWS.all;
  const tables = listReleaseTables(receipt);
  const paths = releaseTablePaths(folder, tables);
  const db = await openDuckDB({ threads: 1, memory: "256MB" });
  let isReadable = true;
  try {
    for (const table of tables) {
      const files = quote(partsIn(paths[table.name] ?? ""));
      const [row] = await db
        .rows(`select cast(sum(num_rows) as double) as rows from parquet_file_metadata(${files})`)
        .catch(() => []);
      const rows = Number(row?.rows ?? 0);
      if (rows <= most) continue;
      isReadable = false;
      found(
        "row count",
        `data/${publishedName(table)} states ${rows} rows, which is too many for the ${harvested} payloads in the receipt`,
      );
    }
  } finally {
    db.close();
  }
  return isReadable;
}
