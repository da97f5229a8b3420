/** Opens the SQLite file of an account store, so that what was acknowledged survives a kill and a power cut. */

import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

/** How long a statement waits for another process's write; ours take milliseconds. */
const BUSY_MILLISECONDS = 5000;

/** A file may be switched to WAL by one process at a time, and SQLite does not wait for that by itself. */
const ATTEMPTS = 200;
const PAUSE_MILLISECONDS = 25;

/** The file's folder is made, and the file too, for its owner alone; SQLite gives its companions the same mode. */
export async function openSqlite(path: string): Promise<DatabaseSync> {
  mkdirSync(dirname(path), { recursive: true });
  closeSync(openSync(path, "a", 0o600));
  const database = new DatabaseSync(path, { timeout: BUSY_MILLISECONDS, enableForeignKeyConstraints: true });
  try {
    await useWriteAheadLog(database);
    // In WAL mode, NORMAL may lose the last transactions to a power cut; a key that was shown must not be lost.
    database.exec("pragma synchronous = full");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Readers do not block the writer, nor the writer readers. */
async function useWriteAheadLog(database: DatabaseSync): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      database.exec("pragma journal_mode = wal");
      return;
    } catch (error) {
      if (attempt === ATTEMPTS || !isBusy(error)) throw error;
      await sleep(PAUSE_MILLISECONDS);
    }
  }
}

/** SQLITE_BUSY, whatever its extended code. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && Number(error.errcode) % 256 === 5;
}
