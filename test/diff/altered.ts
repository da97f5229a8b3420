/** A release of which one table says something else, for comparing it with what it was. */

import { join } from "node:path";
import type { Side } from "../../operations/diff/side.ts";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";

/** `select` reads the table under its own name; its columns are those of the altered file. */
export async function altered(side: Side, table: string, select: string, folder: string): Promise<Side> {
  const path = join(folder, `${table}.parquet`);
  const db = await openDuckDB({ threads: 1, memory: "128MB" });
  try {
    await db.run(`create view ${table} as select * from read_parquet(${quote(side.tables[table] ?? "")})`);
    await db.run(`copy (${select}) to ${quote(path)} (format parquet)`);
  } finally {
    db.close();
  }
  return { ...side, tables: { ...side.tables, [table]: path } };
}
