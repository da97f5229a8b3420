/** Published tables against what they should be, row by row. */

import { join } from "node:path";
import { AGGREGATE_TABLES, RECORD_TABLES, SCORE_TABLES, type Table } from "../../schemas/tables.ts";
import { type Database, quote } from "../duckdb/open.ts";
import { releaseTablePaths } from "../pages/tables.ts";
import { type Found, MOST_LISTED, report } from "./finding.ts";

/** In this order: what comes later follows from what comes first. */
const COMPARED: readonly Table[] = [...Object.values(SCORE_TABLES), ...Object.values(AGGREGATE_TABLES)];

/** Tables that a release also has as CSV. */
const AS_CSV: readonly Table[] = [RECORD_TABLES.record, ...COMPARED];

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
  return `data/${published}.parquet: the row of ${named} is not what the other tables give`;
}

/** Keys of rows that are in one of the two only, or that differ. */
async function differingKeys(db: Database, table: Table, path: string): Promise<string[][]> {
  const columns = Object.keys(table.columns).join(", ");
  const published = `(select ${columns} from read_parquet(${quote(path)}))`;
  const own = `(select ${columns} from ${table.name})`;
  const key = table.key.join(", ");
  const rows = await db.rows(
    `select distinct ${key} from ((${own} except all ${published}) union all (${published} except all ${own}))
     order by ${key} limit ${MOST_LISTED + 1}`,
  );
  return rows.map((row) => table.key.map((column) => String(row[column])));
}

/** `names`: the CSV files of the release. They hold what the tables hold. */
export async function compareCsv(db: Database, folder: string, names: readonly string[], found: Found): Promise<void> {
  for (const table of AS_CSV) {
    const file = `data/${table.published}.csv.gz`;
    if (!names.includes(file)) continue;
    const columns = Object.keys(table.columns);
    const types = columns.map((name) => `'${name}': 'varchar'`).join(", ");
    // Written with null as nothing and '' in quotes, and read so again.
    const read = `read_csv(${quote(join(folder, file))}, header = true, columns = {${types}}, delim = ',', quote = '"',
      escape = '"', allow_quoted_nulls = false, auto_detect = false, new_line = '\\n')`;
    const spelled = columns.map((name) => `cast(${name} as varchar) as ${name}`).join(", ");
    const own = `(select ${spelled} from ${table.name})`;
    const csv = `(select ${columns.join(", ")} from ${read})`;
    const counted = await db
      .rows(`select count(*) as n from ((${own} except all ${csv}) union all (${csv} except all ${own}))`)
      .catch((error: unknown) => String(error));
    if (typeof counted === "string") found("csv", `${file} cannot be read: ${counted}`);
    else if (counted[0]?.n !== 0n) found("csv", `${file} does not hold the rows of data/${table.published}.parquet`);
  }
}
