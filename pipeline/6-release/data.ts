/** The tables of a release as files anyone can read: Parquet, and CSV for those people open by hand. */

import { hash } from "node:crypto";
import { createReadStream, createWriteStream, readFileSync, statSync, utimesSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { contentTime } from "../../api-static/pages/content-time.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";
import { CSV_TABLES, publishedName, RELEASE_TABLES } from "../../schemas/public/tables.ts";
import { writeCsv } from "../engine/csv.ts";
import type { Database } from "../engine/open.ts";
import { PART_NAME } from "../engine/parts.ts";
import { fileDigest } from "../files/file-digest.ts";
import { linkOrCopy } from "../files/link-or-copy.ts";
import type { TablePaths } from "../pages/tables.ts";

/**
 * Writes data/ below the release tree; gives the manifest lines of its tables. Texts are packed beside the engine's work,
 * and by zlib: the engine's own packing takes several times as long.
 */
export async function writeData(db: Database, tables: TablePaths, tree: string): Promise<ManifestLine[]> {
  const folder = join(tree, "data");
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder))
    if (name !== "history.json") await rm(join(folder, name), { recursive: true });
  const files: string[] = [];
  for (const table of RELEASE_TABLES) {
    const made = tables[table.name] ?? "";
    await mkdir(join(folder, publishedName(table)));
    for (const part of (await readdir(made)).filter((name) => PART_NAME.test(name)).sort()) {
      const file = `${publishedName(table)}/${part}`;
      // Stage outputs are never modified, so the release may share their bytes.
      await linkOrCopy(join(made, part), join(folder, file));
      files.push(file);
    }
  }
  const packing: Promise<void>[] = [];
  for (const table of CSV_TABLES) {
    const csv = join(folder, `${publishedName(table)}.csv`);
    await writeCsv(db, table, csv);
    packing.push(pack(csv, `${csv}.gz`));
    files.push(`${publishedName(table)}.csv.gz`);
  }
  await Promise.all(packing);
  const lines: ManifestLine[] = [];
  for (const file of files) lines.push(await manifestLineOf(tree, `data/${file}`));
  return lines;
}

/** A fifteenth larger than at the default level, in half the time. */
const LEVEL = 3;

async function pack(from: string, to: string): Promise<void> {
  await pipeline(
    createReadStream(from, { highWaterMark: 1 << 20 }),
    createGzip({ level: LEVEL }),
    createWriteStream(to),
  );
  await rm(from);
}

/** Files up to this size are read at once: most of a release are pages of a few kilobytes. */
const SMALL = 1 << 20;

/** Bytes and sha256 of a finished file, which gets the time of its content; a large one is read as a stream. */
export async function manifestLineOf(root: string, path: string): Promise<ManifestLine> {
  const file = join(root, path);
  const { size } = statSync(file);
  const sha256 = size <= SMALL ? hash("sha256", readFileSync(file)) : await fileDigest(file);
  setContentTime(file, sha256);
  return { path, bytes: size, sha256 };
}

/** For nginx, which makes the entity tag of it (api-static/pages/content-time.ts). */
export function setContentTime(file: string, sha256: string): void {
  utimesSync(file, contentTime(sha256), contentTime(sha256));
}
