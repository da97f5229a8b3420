/** The tables of a release as files anyone can read: folders of Parquet. */

import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ManifestLine } from "../../schemas/public/release.ts";
import { OPTIONAL_TABLES, publishedName, RELEASE_TABLES } from "../../schemas/public/tables.ts";
import { PART_NAME } from "../engine/parts.ts";
import { fileDigest } from "../files/file-digest.ts";
import { linkOrCopy } from "../files/link-or-copy.ts";
import type { TablePaths } from "../pages/tables.ts";

/** Writes data/ below the release tree; gives the manifest lines of its tables. */
export async function writeData(tables: TablePaths, tree: string): Promise<ManifestLine[]> {
  const folder = join(tree, "data");
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder))
    if (name !== "history.json") await rm(join(folder, name), { recursive: true });
  const files: string[] = [];
  for (const table of [...RELEASE_TABLES, ...OPTIONAL_TABLES]) {
    const made = tables[table.name];
    if (made === undefined) continue;
    await mkdir(join(folder, publishedName(table)));
    for (const part of (await readdir(made)).filter((name) => PART_NAME.test(name)).sort()) {
      const file = `${publishedName(table)}/${part}`;
      // Stage outputs are never modified, so the release may share their bytes.
      await linkOrCopy(join(made, part), join(folder, file));
      files.push(file);
    }
  }
  const lines: ManifestLine[] = [];
  for (const file of files) lines.push(await manifestLineOf(tree, `data/${file}`));
  return lines;
}

/** Files up to this size are read at once: most of a release are pages of a few kilobytes. */
const SMALL = 1 << 20;

/** Returns bytes and sha256 of a finished file; a large one is read as a stream. */
export async function manifestLineOf(root: string, path: string): Promise<ManifestLine> {
  const file = join(root, path);
  const { size } = statSync(file);
  const sha256 = size <= SMALL ? hash("sha256", readFileSync(file)) : await fileDigest(file);
  return { path, bytes: size, sha256 };
}
