/** The manifest: every file of a release with bytes and sha256, one line a file, by path. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ManifestLine } from "../../schemas/public/release.ts";
import { type Database, openDuckDB, quote } from "../engine/open.ts";
import { fileDigest } from "../files/file-digest.ts";
import { wholeLines } from "../files/whole-lines.ts";
import { mergeLines } from "./merge-lines.ts";

/**
 * Merges the lines that rendering left beside the tree with those of the data files, ordered by path, into
 * manifest.ndjson. DuckDB sorts, because there may be more pages than fit in memory; lines of pages that were taken over
 * are in order already. Returns `sha256:<hex>` of it.
 */
export async function writeManifest(pages: string, tree: string, data: readonly ManifestLine[]): Promise<string> {
  const rest = join(pages, "pages-data.ndjson");
  await writeFile(rest, data.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const path = join(tree, "manifest.ndjson");
  await rm(path, { force: true });
  const names = (await readdir(pages)).filter((name) => name.endsWith(".ndjson")).sort();
  const filesOf = (start: string) => names.filter((name) => name.startsWith(start)).map((name) => join(pages, name));
  const digest = createHash("sha256");
  const file = await open(path, "w");
  const db = await openDuckDB({ threads: 1, memory: "256MB", spill: join(pages, "spill") });
  try {
    const made = batchesOf(db, filesOf("pages-"));
    for await (const lines of mergeLines(made, linesOf(filesOf("linked-")))) {
      digest.update(lines);
      await file.writeFile(lines);
    }
    await file.sync();
  } finally {
    db.close();
    await file.close();
  }
  return `sha256:${digest.digest("hex")}`;
}

/** Lines of new files, sorted by path. */
async function* batchesOf(db: Database, files: readonly string[]): AsyncGenerator<Buffer> {
  const lines = db.stream(
    `select path, bytes, sha256
     from read_json([${files.map(quote).join(", ")}], format = 'newline_delimited',
       columns = {path: 'varchar', bytes: 'bigint', sha256: 'varchar'})
     order by path`,
  );
  for await (const batch of lines) {
    const texts = batch.map(([name, bytes, sha256]) => lineText(String(name), Number(bytes), String(sha256)));
    yield Buffer.from(texts.join(""));
  }
}

/** Lines of files that are in order, one file after the other. */
async function* linesOf(files: readonly string[]): AsyncGenerator<Buffer> {
  for (const file of files) yield* wholeLines(createReadStream(file, { highWaterMark: 1 << 20 }));
}

function lineText(path: string, bytes: number, sha256: string): string {
  return `${JSON.stringify({ path, bytes, sha256 } satisfies ManifestLine)}\n`;
}

/** `sha256:<hex>` of a manifest file. */
export async function manifestDigestOf(path: string): Promise<string> {
  return `sha256:${await fileDigest(path)}`;
}
