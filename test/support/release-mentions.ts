/** Finds the files and pages of a release, of any format, in which a word occurs. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type Database, openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { pagesIn } from "./release-pages.ts";
import { pathsIn } from "./tree.ts";

/** Returns, for each word, the paths of the files in which it occurs in any case: in the path, the text, or a cell. */
export async function mentions(folder: string, words: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map(words.map((word): [string, string[]] => [word, []]));
  const look = (path: string, content: string) => {
    const text = `${path}\n${content}`.toLowerCase();
    for (const [word, paths] of found) if (text.includes(word.toLowerCase())) paths.push(path);
  };
  const db = await openDuckDB({ threads: 1, memory: "256MB" });
  try {
    for (const path of await pathsIn(folder)) {
      if (path.endsWith(".zst")) continue;
      const content = path.endsWith(".parquet")
        ? await readCells(db, join(folder, path))
        : await readText(join(folder, path));
      look(path, content);
    }
    for (const [path, page] of await pagesIn(folder)) look(path, page.toString("utf8"));
    return found;
  } finally {
    db.close();
  }
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path);
  return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
}

async function readCells(db: Database, path: string): Promise<string> {
  const rows = await db.rows(`select cast(columns(*) as varchar) from read_parquet(${quote(path)})`);
  return rows.map((row) => Object.values(row).join("\n")).join("\n");
}
