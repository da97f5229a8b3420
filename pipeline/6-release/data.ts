/** The tables of a release as files anyone can read: Parquet, and CSV for those people open by hand. */

import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { copyFile, link, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ManifestLine } from "../../schemas/release.ts";
import { RELEASE_TABLES, type Table } from "../../schemas/tables.ts";
import { type Database, quote } from "../duckdb/open.ts";
import { fileDigest } from "../file-digest.ts";
import type { TablePaths } from "../pages/tables.ts";

/** Tables that also come as CSV. */
const CSV = new Set(["record", "score", "authorship", "researcher", "institution", "country", "metrics", "repository"]);

/** Writes data/ below the release tree; gives the manifest lines of its tables. */
export async function writeData(db: Database, tables: TablePaths, tree: string): Promise<ManifestLine[]> {
  const folder = join(tree, "data");
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) if (name !== "history.json") await rm(join(folder, name));
  const lines: ManifestLine[] = [];
  for (const table of RELEASE_TABLES) {
    for (const file of await writeTable(db, table, tables, folder))
      lines.push(await manifestLineOf(tree, `data/${file}`));
  }
  return lines;
}

async function writeTable(db: Database, table: Table, tables: TablePaths, folder: string): Promise<string[]> {
  const name = table.published ?? table.name;
  const parquet = `${name}.parquet`;
  await linkOrCopy(tables[table.name] ?? "", join(folder, parquet));
  if (!CSV.has(table.name)) return [parquet];
  const csv = `${name}.csv.gz`;
  const columns = Object.keys(table.columns).join(", ");
  await db.run(
    `copy (select ${columns} from ${table.name} order by ${table.key.join(", ")})
     to ${quote(join(folder, csv))} (format csv, header, compression gzip)`,
  );
  return [parquet, csv];
}

/** Stage outputs are never modified, so the release may share their bytes; other file systems get a copy. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    await copyFile(from, to);
  }
}

/** Files up to this size are read at once: most of a release are pages of a few kilobytes. */
const SMALL = 1 << 20;

/** Bytes and sha256 of a file; a large one is read as a stream. */
export async function manifestLineOf(root: string, path: string): Promise<ManifestLine> {
  const file = join(root, path);
  const { size } = statSync(file);
  if (size <= SMALL) {
    const content = readFileSync(file);
    return { path, bytes: content.length, sha256: hash("sha256", content) };
  }
  return { path, bytes: size, sha256: await fileDigest(file) };
}
