/** A release with what others say of its datasets: its tables open, under their own names. */

import { type Database, type DuckDBOptions, openDuckDB } from "../../pipeline/engine/open.ts";
import type { TablePaths } from "../../pipeline/pages/tables.ts";
import { RECORD_TABLES, SCORE_TABLES } from "../../schemas/public/tables.ts";

const READ = [RECORD_TABLES.record, RECORD_TABLES.alias, SCORE_TABLES.score];

/** Does the work over the tables, and closes them. */
export async function withRelease<T>(
  tables: TablePaths,
  options: DuckDBOptions,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const db = await openDuckDB(options);
  try {
    for (const table of READ) await db.input(table, tables[table.name] ?? "");
    return await work(db);
  } finally {
    db.close();
  }
}

/** Runs one of the files beside this one. */
export function runSql(
  db: Database,
  name: string,
  variables: Readonly<Record<string, string | number>> = {},
): Promise<void> {
  return db.runFile(new URL(`./${name}.sql`, import.meta.url), variables);
}
