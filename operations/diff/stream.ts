/** Everything that came, went or moved, row after row, never all in memory. */

import type { Cell, Database } from "../../pipeline/engine/open.ts";
import { DIFF_TABLES, type RecordChange, type ResearcherChange } from "../../schemas/public/api/diff.ts";
import type { Table } from "../../schemas/public/tables.ts";
import { readChange, readResearcherChange } from "./read-change.ts";

/** Records, by public version and id. */
export async function* streamChanges(db: Database): AsyncGenerator<RecordChange> {
  for await (const row of rowsOf(db, DIFF_TABLES.change)) yield readChange(row);
}

/** Researchers, by public version and id. */
export async function* streamResearchers(db: Database): AsyncGenerator<ResearcherChange> {
  for await (const row of rowsOf(db, DIFF_TABLES.researcher_change)) yield readResearcherChange(row);
}

/** The rows of one of the tables of schemas/public/api/diff.ts by column, in the order of its key. */
export async function* rowsOf(db: Database, table: Table): AsyncGenerator<Record<string, Cell>> {
  const names = Object.keys(table.columns);
  const sql = `select ${names.join(", ")} from ${table.name} order by ${table.key.join(", ")}`;
  for await (const batch of db.stream(sql)) {
    for (const values of batch) yield Object.fromEntries(names.map((name, i) => [name, values[i] ?? null]));
  }
}
