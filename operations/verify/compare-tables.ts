/** Published tables against what they should be, row by row. */

import { type Database, quote } from "../../pipeline/engine/open.ts";
import { partsIn } from "../../pipeline/engine/parts.ts";
import { releaseTablePaths } from "../../pipeline/pages/tables.ts";
import { AGGREGATE_TABLES, SCORE_TABLES, type Table } from "../../schemas/public/tables.ts";
import { type Found, MOST_LISTED, report } from "./finding.ts";

/** In this order: what comes later follows from what comes first. */
const COMPARED: readonly Table[] = [...Object.values(SCORE_TABLES), ...Object.values(AGGREGATE_TABLES)];

/** `db` holds the tables as they follow, under their names; the release's own are compared with them. */
export async function compareTables(db: Database, folder: string, found: Found): Promise<void> {
  const paths = releaseTablePaths(folder);
  for (const table of COMPARED) {
    const keys = await differingKeys(db, table, paths[table.name] ?? "");
    report(
      found,
      table.name === "score" ? "score" : "aggregate",
      keys.map((key) => wordsOf(table, key)),
    );
  }
}

function wordsOf({ name, published, key: columns }: Table, key: readonly string[]): string {
  if (name === "score") return `${key[0]} under ${key[1]} is not what its evidence gives`;
  const named = columns.map((column, i) => `${column} ${key[i]}`).join(", ");
  return `data/${published}: the row of ${named} is not what the other tables give`;
}

/** Keys of rows that are in one of the two only, or that differ. */
async function differingKeys(db: Database, table: Table, path: string): Promise<string[][]> {
  const columns = Object.keys(table.columns).join(", ");
  const published = `(select ${columns} from read_parquet(${quote(partsIn(path))}))`;
  const own = `(select ${columns} from ${table.name})`;
  const key = table.key.join(", ");
  const rows = await db.rows(
    `select distinct ${key} from ((${own} except all ${published}) union all (${published} except all ${own}))
     order by ${key} limit ${MOST_LISTED + 1}`,
  );
  return rows.map((row) => table.key.map((column) => String(row[column])));
}
