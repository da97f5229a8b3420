/** Writes a table of a release as CSV, from its Parquet files. */

import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type DuckDBOptions, openDuckDB, partsIn, writeCsv } from "../pipeline/engine/open.ts";
import { DIFF_TABLES } from "../schemas/public/api/diff.ts";
import { CSV_TABLES, publishedName, type Table } from "../schemas/public/tables.ts";

/** A table, and the path of its Parquet files in a release. */
export interface CsvSource {
  readonly table: Table;
  /** The path of a folder of parts, or of a single file, below the release. */
  readonly parquet: string;
}

/** The tables that can be exported, by the name of their files. */
export const CSV_SOURCES: ReadonlyMap<string, CsvSource> = new Map([
  ...CSV_TABLES.map((table) => {
    const name = publishedName(table);
    return [name, { table, parquet: `data/${name}` }] as const;
  }),
  ...Object.values(DIFF_TABLES).map(
    (table) => [table.published, { table, parquet: `data/${table.published}.parquet` }] as const,
  ),
]);

/** The tables by the path of their CSV file in a published release. Manifests do not list these files. */
export const CSV_FILES: ReadonlyMap<string, CsvSource> = new Map(
  [...CSV_SOURCES].map(([name, source]) => [`data/${name}.csv.gz`, source]),
);

/**
 * Writes a table of the release in `folder` as CSV. Compresses it if the name of `to` ends in .gz. Rows are sorted by the
 * key of the table, and the same release results in the same bytes. Returns false if the release does not have the table.
 */
export async function writeTableCsv(
  folder: string,
  { table, parquet }: CsvSource,
  to: string,
  options: DuckDBOptions,
): Promise<boolean> {
  const from = join(folder, parquet);
  if (!existsSync(from)) return false;
  const db = await openDuckDB(options);
  // Readers never see an incomplete file, and two writers do not share one.
  const plain = `${to}.${randomUUID()}.csv`;
  const attempt = `${to}.${randomUUID()}.tmp`;
  try {
    const files = parquet.endsWith(".parquet") ? from : partsIn(from);
    const made = await db.tableInFiles(table, files);
    await db.inputFile(made, files);
    await writeCsv(db, made, plain, "file");
    if (to.endsWith(".gz")) await pack(plain, attempt);
    else await rename(plain, attempt);
    await rename(attempt, to);
    return true;
  } finally {
    db.close();
    for (const left of [plain, attempt]) await rm(left, { force: true });
  }
}

/**
 * Compression level for gzip. Files are about 7 % larger than at the default level, but compressing them takes half the
 * time. DuckDB's own compression would take several times as long.
 */
const LEVEL = 3;

async function pack(from: string, to: string): Promise<void> {
  await pipeline(
    createReadStream(from, { highWaterMark: 1 << 20 }),
    createGzip({ level: LEVEL }),
    createWriteStream(to),
  );
}
