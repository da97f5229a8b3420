/** An inspection of a file: is it a whole account store that this program can read? It is asked of a backup before anything is replaced by it. */

import { DatabaseSync } from "node:sqlite";
import { AccountStoreError } from "./error.ts";
import { MIGRATIONS } from "./schema/index.ts";

/** @throws AccountStoreError saying why it is none; returns the number of its last migration */
export function inspectSqlite(path: string): number {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    const [found] = database.prepare("pragma integrity_check(1)").all();
    if (found?.integrity_check !== "ok") throw new Error(`damaged: ${found?.integrity_check}`);
    const [orphan] = database.prepare("pragma foreign_key_check").all();
    if (orphan !== undefined) throw new Error(`damaged: a row of ${orphan.table} belongs to nothing`);
    return lastMigration(database);
  } catch (cause) {
    if (cause instanceof AccountStoreError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AccountStoreError(`${path} is no account store that can be used (${reason})`, { cause });
  } finally {
    database?.close();
  }
}

function lastMigration(database: DatabaseSync): number {
  const row = database.prepare("select max(number) as number from schema_migration").get();
  const number = Number(row?.number ?? 0);
  const known = MIGRATIONS.at(-1)?.number ?? 0;
  if (number < 1) throw new Error("no migration has run in it");
  if (number > known) {
    throw new AccountStoreError(
      `the backup is of a newer program (migration ${number}; this one knows ${known}): restore it with that one`,
    );
  }
  return number;
}
