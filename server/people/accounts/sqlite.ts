/** Opens the SQLite file of an account store, so that what was acknowledged survives a kill and a power cut. */

import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { BUSY_MILLISECONDS, whenFree } from "./busy.ts";

/**
 * Two connections to one file: what is only read need not wait for what is being written, here or in another process,
 * and sees nothing of it before it is committed.
 */
export interface SqliteConnections {
  readonly reader: DatabaseSync;
  readonly writer: DatabaseSync;
}

/** The file's folder is made, and the file too, for its owner alone; SQLite gives its companions the same mode. */
export async function openSqlite(path: string): Promise<SqliteConnections> {
  mkdirSync(dirname(path), { recursive: true });
  closeSync(openSync(path, "a", 0o600));
  const writer = connect(path);
  try {
    // Readers do not block the writer, nor the writer readers.
    await whenFree(() => writer.exec("pragma journal_mode = wal"));
    // In WAL mode, NORMAL may lose the last transactions to a power cut; a key that was shown must not be lost.
    writer.exec("pragma synchronous = full");
    // What is deleted is overwritten: people ask for that.
    writer.exec("pragma secure_delete = on");
    return { reader: connectReader(path), writer };
  } catch (error) {
    writer.close();
    throw error;
  }
}

function connect(path: string): DatabaseSync {
  return new DatabaseSync(path, { timeout: BUSY_MILLISECONDS, enableForeignKeyConstraints: true });
}

function connectReader(path: string): DatabaseSync {
  const reader = connect(path);
  reader.exec("pragma query_only = on");
  return reader;
}
