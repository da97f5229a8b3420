/** Published tables against what they should be, row by row. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { writeCsv } from "../../pipeline/engine/csv.ts";
import { type Database, quote } from "../../pipeline/engine/open.ts";
import { partsIn } from "../../pipeline/engine/parts.ts";
import { fileDigest } from "../../pipeline/files/file-digest.ts";
import { releaseTablePaths } from "../../pipeline/pages/tables.ts";
import { AGGREGATE_TABLES, CSV_TABLES, publishedName, SCORE_TABLES, type Table } from "../../schemas/public/tables.ts";
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

/** `names`: the CSV files of the release. Each is, once unpacked, what its table gives. `db` is that of the release's own tables. */
export async function compareCsv(
  db: Database,
  folder: string,
  names: readonly string[],
  scratch: string,
  found: Found,
): Promise<void> {
  for (const table of CSV_TABLES) {
    const file = `data/${publishedName(table)}.csv.gz`;
    if (!names.includes(file)) continue;
    const own = join(scratch, "own.csv");
    await writeCsv(db, table, own);
    if ((await textDigest(join(folder, file))) !== (await fileDigest(own)))
      found("csv", `${file} does not hold the rows of data/${publishedName(table)}`);
    await rm(own);
  }
}

/** sha256 of what is packed in a gzip file; null where that cannot be read. */
export async function textDigest(path: string): Promise<string | null> {
  const digest = createHash("sha256");
  try {
    await pipeline(createReadStream(path), createGunzip(), digest);
    return digest.digest("hex");
  } catch {
    return null;
  }
}
