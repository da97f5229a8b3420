/** Says why a release that was built is not activated: the gates it does not pass, the records behind them, and what to do. */

import { join } from "node:path";
import { openDuckDB } from "../../pipeline/engine/open.ts";
import { currentDigest, readReceipt } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import type { Gate } from "../../schemas/public/gates.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { publishedName, RECORD_TABLES } from "../../schemas/public/tables.ts";
import { gateText } from "./index.ts";

/** Records named for each source. */
const LISTED = 10;

/** One statement a line, the first of which is whole by itself. `gates` are those that the release does not pass. */
export async function refusalText(store: Store, receipt: Receipt, gates: readonly Gate[]): Promise<string> {
  const { releaseDigest } = receipt;
  const folder = store.release(releaseDigest);
  const failing = failingSources(gates);
  const records = await failedRecords(folder, failing);
  const count = gates.length === 1 ? "a gate" : `${gates.length} gates`;
  return [
    `${releaseDigest} is not activated: it does not pass ${count}`,
    ...gates.map((gate) => `  ${gateText(gate)}`),
    ...(records.length === 0 ? [] : ["Records that failed:", ...records.map((line) => `  ${line}`)]),
    `Read ${join(folder, DESCRIPTORS.report)}.`,
    ...(await withoutThem(store, receipt, failing)),
    `To activate it all the same: \`share-release activate ${releaseDigest.slice(0, 19)} --force <reason>\`.`,
  ].join("\n");
}

function failingSources(gates: readonly Gate[]): string[] {
  return [...new Set(gates.flatMap(({ source }) => source ?? []))].sort();
}

async function failedRecords(folder: string, sources: readonly string[]): Promise<string[]> {
  const db = await openDuckDB({ threads: 1 });
  try {
    const { record } = RECORD_TABLES;
    await db.inputAsMade(record, join(folder, "data", publishedName(record)));
    const lines: string[] = [];
    for (const source of sources) {
      const rows = await db.rows(
        `select source || '/' || source_id as identifier, reason, cast(count(*) over () as integer) as failed
         from record where status = 'failed' and source = $source order by id limit ${LISTED}`,
        { source },
      );
      lines.push(...rows.map(({ identifier, reason }) => `${identifier}: ${reason ?? "unknown reason"}`));
      const more = Number(rows[0]?.failed ?? 0) - rows.length;
      if (more > 0) lines.push(`${more} more of ${source}`);
    }
    return lines;
  } finally {
    db.close();
  }
}

/** How to build without the sources that failed: as they were for the active release, or not at all if it has none of them. */
async function withoutThem(store: Store, { asOf, sources }: Receipt, failing: readonly string[]): Promise<string[]> {
  const digest = await currentDigest(store);
  const active = digest === null ? null : await readReceipt(store.release(digest));
  const before = new Set(active?.sources.filter(({ parts }) => parts > 0).map(({ source }) => source));
  const carried = failing.filter((source) => before.has(source));
  const left = failing.filter((source) => !before.has(source));
  const built = sources.filter(({ source, parts }) => parts > 0 && !left.includes(source)).map(({ source }) => source);
  if (failing.length === 0 || built.length === 0) return [];
  const named = left.length === 0 ? "" : ` --source ${built.join(" ")}`;
  const kept = carried.length === 0 ? "" : ` --carry-forward ${carried.join(" ")}`;
  const what = [
    ...(left.length === 0 ? [] : [`leave out ${left.join(", ")}`]),
    ...(carried.length === 0 ? [] : [`take ${carried.join(", ")} as in the active release`]),
  ];
  return [`To ${what.join(" and ")}: \`share-release build --as-of ${asOf}${named}${kept}\`.`];
}
