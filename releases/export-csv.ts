/** A table of a release as CSV, packed or as it is: made when somebody asks, of the table's Parquet. */

import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type DuckDBOptions, openDuckDB, partsIn, writeCsv } from "../pipeline/engine/open.ts";
import { DIFF_TABLES } from "../schemas/public/api/diff.ts";
import { CSV_TABLES, publishedName, type Table } from "../schemas/public/tables.ts";

/** A table that can be had as CSV, and where a release has it as Parquet. */
export interface CsvSource {
  readonly table: Table;
  /** A folder of parts, or one file, below the release. */
  readonly parquet: string;
}

/** By the names of tables, as they are published: a closed list. */
export const CSV_SOURCES: ReadonlyMap<string, CsvSource> = new Map([
  ...CSV_TABLES.map((table) => {
    const name = publishedName(table);
    return [name, { table, parquet: `data/${name}` }] as const;
  }),
  ...Object.values(DIFF_TABLES).map(
    (table) => [table.published, { table, parquet: `data/${table.published}.parquet` }] as const,
  ),
]);

/** By the paths below a release under which they are asked for. No manifest names them. */
export const CSV_FILES: ReadonlyMap<string, CsvSource> = new Map(
  [...CSV_SOURCES].map(([name, source]) => [`data/${name}.csv.gz`, source]),
);

/**
 * Writes a table of the release in `folder`: packed by gzip where the name of `to` says so. Rows are in the order of the
 * table's key; the same release gives the same bytes. False where the release has no such table: the first has no diff.
 */
export async function writeCsvOf(
  folder: string,
  { table, parquet }: CsvSource,
  to: string,
  options: DuckDBOptions,
): Promise<boolean> {
  const from = join(folder, parquet);
  if (!existsSync(from)) return false;
  const db = await openDuckDB(options);
  // Never half there, and never twice under one name.
  const plain = `${to}.${randomUUID()}.csv`;
  const attempt = `${to}.${randomUUID()}.tmp`;
  try {
    const files = parquet.endsWith(".parquet") ? from : partsIn(from);
    const made = await db.tableAsMade(table, files);
    await db.inputFile(made, files);
    await writeCsv(db, made, plain);
    if (to.endsWith(".gz")) await pack(plain, attempt);
    else await rename(plain, attempt);
    await rename(attempt, to);
    return true;
  } finally {
    db.close();
    for (const left of [plain, attempt]) await rm(left, { force: true });
  }
}

/** A fifteenth larger than at the default level, in half the time. The engine's own packing takes several times as long. */
const LEVEL = 3;

async function pack(from: string, to: string): Promise<void> {
  await pipeline(
    createReadStream(from, { highWaterMark: 1 << 20 }),
    createGzip({ level: LEVEL }),
    createWriteStream(to),
  );
}
