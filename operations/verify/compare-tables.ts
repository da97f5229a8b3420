/** Published tables against what they should be, row by row. */

import { type Database, partsIn, quote } from "../../pipeline/engine/open.ts";
import { releaseTablePaths } from "../../pipeline/pages/tables.ts";
import { OTHER_SCORE_TABLES, SCORE_TABLES, type Table } from "../../schemas/public/tables.ts";
import { type Found, MOST_LISTED, report } from "./finding.ts";

/** The tables whose rows are scores. */
const SCORES: readonly string[] = Object.keys({ ...SCORE_TABLES, ...OTHER_SCORE_TABLES });

/** `db` has the tables as they follow, under their names; whether the release's own are the same. */
export async function compareTables(
  db: Database,
  folder: string,
  tables: readonly Table[],
  found: Found,
): Promise<boolean> {
  const paths = releaseTablePaths(folder, tables);
  let alike = true;
  for (const table of tables) {
    const keys = await differingKeys(db, table, paths[table.name] ?? "");
    alike &&= keys.length === 0;
    report(
      found,
      SCORES.includes(table.name) ? "score" : "aggregate",
      keys.map((key) => wordsOf(table, key)),
    );
  }
  return alike;
}

function wordsOf({ name, published, key: columns }: Table, key: readonly string[]): string {
  if (SCORES.includes(name)) return `${key[0]} under ${key[1]} is not what its evidence gives`;
  const named = columns.map((column, i) => `${column} ${key[i]}`).join(", ");
  return `data/${published}: the row of ${named} is not what the other tables give`;
}

/** Keys of rows that are in one of the two only, or more often in one of them. Each side is computed once. */
async function differingKeys(db: Database, table: Table, path: string): Promise<string[][]> {
  const made = await db.tableAsMade(table, partsIn(path));
  const columns = Object.keys(made.columns).join(", ");
  const published = `select ${columns}, -1 as side from read_parquet(${quote(partsIn(path))})`;
  const own = `select ${columns}, 1 as side from ${table.name}`;
  const key = table.key.join(", ");
  const rows = await db.rows(
    `select distinct ${key} from (
       select ${columns} from (${own} union all ${published}) group by ${columns} having sum(side) <> 0
     ) order by ${key} limit ${MOST_LISTED + 1}`,
  );
  return rows.map((row) => table.key.map((column) => String(row[column])));
}
