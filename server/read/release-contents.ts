/** Lists the files of a release, with the number of rows of each table, for the page of the release. */

import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { quote } from "../../pipeline/engine/open.ts";
import { citationText } from "../../schemas/public/descriptors.ts";
import { manifestLine } from "../../schemas/public/release.ts";
import type { ReleaseContents } from "../../web/views/downloads.ts";
import { releaseFile, type StoredRelease } from "./open-release.ts";
import type { QueryEngine } from "./query-engine.ts";

/** Files of a release that its manifest does not list. */
const UNLISTED = ["release.json", "manifest.ndjson"];

/**
 * Returns the files of a release. `engine` is that of the active release. It reads only the footers of the tables,
 * which have the numbers of rows.
 */
export async function releaseContents(
  { folder, receipt }: StoredRelease,
  engine: Pick<QueryEngine, "rows">,
): Promise<ReleaseContents> {
  const manifest = await readFile(join(folder, "manifest.ndjson"), "utf8");
  const listed = manifest
    .split("\n")
    // Pages are left out, because those of a large release are in thousands of packs.
    .filter((line) => line !== "" && !line.startsWith('{"path":"pages/'))
    .map((line) => manifestLine.parse(JSON.parse(line)));
  const unlisted = await Promise.all(
    UNLISTED.map(async (path) => ({ path, bytes: (await stat(join(folder, path))).size })),
  );
  const files = [...unlisted, ...listed];
  const rows = await countRows(
    folder,
    files.map(({ path }) => path).filter((path) => path.endsWith(".parquet")),
    engine,
  );
  return {
    receipt,
    citation: citationText(receipt),
    files: files.map(({ path, bytes }) => ({ path, bytes, rows: rows.get(path) ?? null })),
  };
}

async function countRows(
  folder: string,
  paths: readonly string[],
  engine: Pick<QueryEngine, "rows">,
): Promise<ReadonlyMap<string, number>> {
  const byFile = new Map(
    await Promise.all(paths.map(async (path) => [await releaseFile(folder, path), path] as const)),
  );
  if (byFile.size === 0) return new Map();
  const files = [...byFile.keys()].map(quote).join(", ");
  const found = await engine.rows(`select file_name, num_rows from parquet_file_metadata([${files}])`);
  return new Map(found.map(([file, count]) => [byFile.get(String(file)) ?? "", Number(count)]));
}
