/** A release of which one table says something else, for comparing it with what it was. */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Side } from "../../pipeline/diff/compare.ts";
import { ONLY_PART, openDuckDB, partsIn, quote } from "../../pipeline/engine/open.ts";

/** `select` reads the table under its own name; its columns are those of the altered file. */
export async function altered(side: Side, table: string, select: string, folder: string): Promise<Side> {
  const path = join(folder, table);
  await mkdir(path, { recursive: true });
  const db = await openDuckDB({ threads: 1, memory: "128MB" });
  try {
    await db.run(`create view ${table} as select * from read_parquet(${quote(partsIn(side.tables[table] ?? ""))})`);
    await db.run(`copy (${select}) to ${quote(join(path, ONLY_PART))} (format parquet)`);
  } finally {
    db.close();
  }
  return { ...side, tables: { ...side.tables, [table]: path } };
}
