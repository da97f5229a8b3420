/**
 * Copies of an account store in SQLite, taken and put back while servers may write to it. SQLite's own backup does both:
 * what is copied is one moment of the store, and what is put back is there in one transaction, or not at all.
 */

import { randomUUID } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { publishFile, syncFolder } from "../../../pipeline/files/durable.ts";
import { isBusy, whenFree } from "./busy.ts";
import { AccountStoreError } from "./error.ts";
import { openAccounts } from "./index.ts";
import { inspectSqlite } from "./inspect-sqlite.ts";

export interface BackupDone {
  readonly file: string;
  readonly bytes: number;
  /** The last one that had run in it. */
  readonly migration: number;
}

export interface RestoreOptions {
  /** Also where a server has the store open: it goes on with what was put back. */
  readonly evenIfOpen: boolean;
  readonly now: Date;
}

export interface RestoreDone {
  readonly store: string;
  /** Where what was there before lies now; null where nothing was. */
  readonly before: string | null;
  /** Of the backup; the store has been brought up to date since. */
  readonly migration: number;
}

/** All pages in one step: in several, a write in between would make it begin anew, again and again. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Writes the store to a new file, for its owner alone.
 * @throws AccountStoreError where the file is there already, or what was written is not whole
 */
export async function backupSqlite(store: string, file: string): Promise<BackupDone> {
  if (existsSync(file)) throw new AccountStoreError(`${file} is there already: give a name that is not taken`);
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    const migration = await copyWhole(store, temporary);
    await publishFile(temporary, file);
    return { file, bytes: (await stat(file)).size, migration };
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * Puts a backup in the place of the store, and what was there beside it. Everyone is signed out: who had signed out, or
 * was made to, since the backup would be in again. The backup is checked before anything is touched.
 * @throws AccountStoreError where the backup is not whole or too new, or a server has the store open
 */
export async function restoreSqlite(file: string, store: string, options: RestoreOptions): Promise<RestoreDone> {
  if (!existsSync(file)) throw new AccountStoreError(`there is no file ${file}`);
  if (existsSync(store) && (await realpath(file)) === (await realpath(store))) {
    throw new AccountStoreError(`${file} is the store itself`);
  }
  const migration = inspectSqlite(file);
  if (!options.evenIfOpen) requireUnused(store);
  const ready = `${store}.restoring-${randomUUID()}`;
  try {
    await copy(file, ready);
    await signEverybodyOut(ready);
    const before = existsSync(store) ? await putAside(store, options.now) : null;
    await copy(ready, store);
    return { store: resolve(store), before, migration };
  } finally {
    for (const part of ["", "-wal", "-shm"]) await rm(ready + part, { force: true });
  }
}

/** Brings the tables up to date as well, so that servers which have the store open find those they know. */
async function signEverybodyOut(store: string): Promise<void> {
  const { db, close } = await openAccounts({ sqlite: store });
  try {
    await db.transaction().execute(async (trx) => {
      for (const table of ["session", "magic_link", "pending_sign_in"] as const) await trx.deleteFrom(table).execute();
    });
  } finally {
    await close();
  }
}

/** A copy that is one file, checked and on the disk; a store in use has a log beside it. Returns its last migration. */
async function copyWhole(from: string, to: string): Promise<number> {
  await copy(from, to);
  const database = new DatabaseSync(to);
  database.exec("pragma journal_mode = delete");
  database.close();
  const migration = inspectSqlite(to);
  await flush(to);
  return migration;
}

/** The target is made first, so that nobody but its owner can ever read it. */
async function copy(from: string, to: string): Promise<void> {
  mkdirSync(dirname(to), { recursive: true });
  closeSync(openSync(to, "a", 0o600));
  const database = new DatabaseSync(from, { readOnly: true });
  try {
    await whenFree(() => backup(database, to, { rate: ALL_PAGES }));
  } catch (cause) {
    if (!isBusy(cause)) throw cause;
    throw new AccountStoreError(`${from} or ${to} is locked by another process: try again`, { cause });
  } finally {
    database.close();
  }
}

/**
 * A connection, even an idle one, holds a lock of the store for as long as it is open: only who is alone can take its log
 * away. What cannot be opened at all, nobody has open.
 */
function requireUnused(store: string): void {
  if (!existsSync(store)) return;
  try {
    const database = new DatabaseSync(store, { timeout: 0 });
    try {
      database.exec("pragma journal_mode = delete");
    } finally {
      database.close();
    }
  } catch (error) {
    if (!isBusy(error)) return;
    throw new AccountStoreError(
      `a server has ${store} open: stop all servers of this store first, or give --even-if-open`,
      { cause: error },
    );
  }
}

/** A copy beside the store; a store that is too damaged to be copied is moved there, with its log. */
async function putAside(store: string, now: Date): Promise<string> {
  const before = `${store}.before-${now.toISOString().replace(/[:.]/g, "-")}`;
  if (existsSync(before)) throw new AccountStoreError(`${before} is there already; try again in a moment`);
  try {
    await copyWhole(store, before);
  } catch {
    await rm(before, { force: true });
    for (const part of ["-wal", "-shm", ""]) {
      if (existsSync(store + part)) await rename(store + part, before + part);
    }
  }
  await syncFolder(dirname(store));
  return resolve(before);
}

async function flush(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
