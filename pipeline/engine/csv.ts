/** A table as a CSV file: null is nothing and an empty text is in quotes; what a spreadsheet would run is told from text. */

import { FORMULA } from "../../schemas/public/formula.ts";
import type { Table } from "../../schemas/public/tables.ts";
import { type Database, quote } from "./open.ts";

/** In the order of the Parquet file it is read from, which is that of the table's key; `sorted` where it lies elsewhere. */
export async function writeCsv(db: Database, table: Table, path: string, sorted = false): Promise<void> {
  const columns = Object.entries(table.columns).map(([name, type]) => (type === "text" ? guarded(name) : name));
  const order = sorted ? `order by ${table.key.map((name) => `${table.name}.${name}`).join(", ")}` : "";
  const packed = path.endsWith(".gz") ? ", compression gzip" : "";
  await db.run("set preserve_insertion_order = true");
  await db.run(
    `copy (select ${columns.join(", ")} from ${table.name} ${order}) to ${quote(path)} (format csv, header${packed})`,
  );
  await db.run("set preserve_insertion_order = false");
}

/** An apostrophe before it, which spreadsheets do not show. */
function guarded(name: string): string {
  return `case when regexp_matches(${name}, ${quote(FORMULA)}) then '''' || ${name} else ${name} end as ${name}`;
}
