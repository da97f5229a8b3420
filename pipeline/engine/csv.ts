/** A table as a CSV file: null is nothing and an empty text is in quotes; what a spreadsheet would run is told from text. */

import { FORMULA } from "../../schemas/public/formula.ts";
import type { Table } from "../../schemas/public/tables.ts";
import { type Database, quote } from "./open.ts";

/** In the order of the Parquet files it is read from, which is that of the table's key. */
export async function writeCsv(db: Database, table: Table, path: string): Promise<void> {
  const columns = Object.entries(table.columns).map(([name, type]) => (type === "text" ? guarded(name) : name));
  await db.run("set preserve_insertion_order = true");
  await db.run(`copy (select ${columns.join(", ")} from ${table.name}) to ${quote(path)} (format csv, header)`);
  await db.run("set preserve_insertion_order = false");
}

/** An apostrophe before it, which spreadsheets do not show. */
function guarded(name: string): string {
  return `case when regexp_matches(${name}, ${quote(FORMULA)}) then '''' || ${name} else ${name} end as ${name}`;
}
