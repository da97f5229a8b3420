/** A diff as files of the later release: outside its digest, since they depend on what was active when it was made. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DIFF_FILE, DIFF_TABLES, type ReleaseDiff } from "../../schemas/diff.ts";
import { quote } from "../duckdb/open.ts";
import type { Comparison } from "./compare.ts";
import type { Side } from "./side.ts";
import { summarise } from "./summary.ts";

/** Paths of the tables, as Parquet and as CSV. */
export const DIFF_TABLE_FILES = Object.values(DIFF_TABLES).flatMap(({ published }) => [
  `data/${published}.parquet`,
  `data/${published}.csv.gz`,
]);

/** Writes all of it below the release tree. */
export async function writeDiff(
  comparison: Comparison,
  before: Side | null,
  after: Side,
  tree: string,
): Promise<ReleaseDiff> {
  const { db } = comparison;
  for (const table of Object.values(DIFF_TABLES)) {
    const path = join(tree, "data", table.published);
    await db.output(table, `${path}.parquet`);
    const columns = Object.keys(table.columns).join(", ");
    await db.run(
      `copy (select ${columns} from ${table.name} order by ${table.key.join(", ")})
       to ${quote(`${path}.csv.gz`)} (format csv, header, compression gzip)`,
    );
  }
  const summary = await summarise(comparison, before, after, DIFF_TABLE_FILES);
  await writeFile(join(tree, DIFF_FILE), `${JSON.stringify(summary, null, 1)}\n`);
  return summary;
}
