/** The manifest: every file of a release with bytes and sha256, one line a file, by path. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ManifestLine } from "../../schemas/release.ts";
import { openDuckDB, quote } from "../duckdb/open.ts";

/**
 * Merges the lines that rendering left beside the tree with those of the data files, ordered by path, into
 * manifest.ndjson. DuckDB sorts, because there may be more pages than fit in memory. Returns `sha256:<hex>` of it.
 */
export async function writeManifest(pages: string, tree: string, data: readonly ManifestLine[]): Promise<string> {
  const rest = join(pages, "pages-data.ndjson");
  await writeFile(rest, data.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const path = join(tree, "manifest.ndjson");
  await rm(path, { force: true });
  const parts = (await readdir(pages)).filter((name) => name.startsWith("pages-") && name.endsWith(".ndjson"));
  const digest = createHash("sha256");
  const file = await open(path, "w");
  const db = await openDuckDB({ threads: 1, memory: "256MB", spill: join(pages, "spill") });
  try {
    const lines = db.stream(
      `select path, bytes, sha256
       from read_json([${parts.map((name) => quote(join(pages, name))).join(", ")}], format = 'newline_delimited',
         columns = {path: 'varchar', bytes: 'bigint', sha256: 'varchar'})
       order by path`,
    );
    for await (const batch of lines) {
      const text = batch.map(([name, bytes, sha256]) => lineText(String(name), Number(bytes), String(sha256))).join("");
      digest.update(text);
      await file.write(text);
    }
    await file.sync();
  } finally {
    db.close();
    await file.close();
  }
  return `sha256:${digest.digest("hex")}`;
}

function lineText(path: string, bytes: number, sha256: string): string {
  return `${JSON.stringify({ path, bytes, sha256 } satisfies ManifestLine)}\n`;
}

/** `sha256:<hex>` of a manifest file. */
export async function manifestDigestOf(path: string): Promise<string> {
  const digest = createHash("sha256");
  for await (const chunk of createReadStream(path)) digest.update(chunk);
  return `sha256:${digest.digest("hex")}`;
}
