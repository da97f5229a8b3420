/** The counts of each source in a receipt, against what the tables of the release tell of its harvest. */

import type { Database } from "../../pipeline/engine/open.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import type { Found } from "./finding.ts";

const COUNTED = ["scored", "insufficient", "failed", "duplicates", "tombstones", "notDataset"] as const;

/** `db` holds the tables of the release under their names. */
export async function verifySourceCounts(db: Database, { rubrics, sources }: Receipt, found: Found): Promise<void> {
  const published = new Set(rubrics.map(({ version }) => version));
  const version = PUBLIC_VERSIONS.find((each) => published.has(each)) ?? "";
  await db.runFile(new URL("./source-counts.sql", import.meta.url), { version });
  const rows = await db.rows("select * from source_count order by source");
  const held = new Map(rows.map((row) => [String(row.source), row]));
  for (const { source, coverage, oldestRetrieval, newestRetrieval } of sources) {
    const row = held.get(source);
    held.delete(source);
    for (const name of COUNTED) {
      const count = Number(row?.[name] ?? 0);
      if (count !== coverage[name])
        found("coverage", `the tables hold ${count} ${name} of ${source}, the receipt says ${coverage[name]}`);
    }
    const [oldest, newest] = [row?.oldest ?? null, row?.newest ?? null].map((time) =>
      time === null ? null : String(time),
    );
    const within = (oldest ?? "9") >= (oldestRetrieval ?? "") && (newest ?? "") <= (newestRetrieval ?? "");
    if (!within)
      found(
        "coverage",
        `records of ${source} were retrieved from ${oldest} to ${newest}, the receipt says from ${oldestRetrieval} to ${newestRetrieval}`,
      );
  }
  for (const source of held.keys())
    found("coverage", `the tables hold records of ${source}, which the receipt does not name`);
}
