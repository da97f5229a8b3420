/** A diff as files of the later release: outside its digest, since they depend on what was active when it was made. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DIFF_FILE, DIFF_TABLE_FILES, DIFF_TABLES, type ReleaseDiff } from "../../schemas/public/api/diff.ts";
import type { Comparison, Side } from "./compare.ts";
import { summarise } from "./summary.ts";

/** Writes all of it below the release tree. */
export async function writeDiff(
  comparison: Comparison,
  before: Side | null,
  after: Side,
  tree: string,
): Promise<ReleaseDiff> {
  const { db } = comparison;
  for (const table of Object.values(DIFF_TABLES)) {
    await db.outputFile(table, join(tree, "data", `${table.published}.parquet`));
  }
  const summary = await summarise(comparison, before, after, DIFF_TABLE_FILES);
  await writeFile(join(tree, DIFF_FILE), `${JSON.stringify(summary, null, 1)}\n`);
  return summary;
}
