/**
 * Locks, so that one process at a time works in a folder or on the whole store. The operating system releases the lock
 * of a process that ends. Its lock also works between containers that share a volume but not their process ids.
 */

import { lstatSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { lstat, mkdir, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Effects, getErrorMessage } from "../stage/effects.ts";
import type { Store } from "./store.ts";

/** Another process holds the lock. */
export class StoreLocked extends Error {
  readonly code = "store-locked";
}

/** The lock is another kind of file, belongs to another user, or its file system has no locks. */
class LockUnusable extends Error {
  readonly code = "ERR_LOCK_UNUSABLE";
}

/**
 * Takes the lock of a folder. Returns the function that releases it.
 * @throws StoreLocked, LockUnusable
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, LOCK);
  for (let attempt = 0; attempt < 3; attempt++) {
    await mkdir(folder, { recursive: true });
    const held = holdFile(path);
    if (held === "held") throw new StoreLocked(await heldBy(path));
    if (held === "replaced") continue;
    noteHolder(path);
    return async () => release(path, held);
  }
  throw new StoreLocked(`${path} cannot be locked, because other processes try at the same time. Try again.`);
}

/** Name of the file in a folder that a process locks. */
export const LOCK = "lock";

/** Time to wait for a process that tries at the same moment. It is short, because waiting blocks the event loop. */
const BUSY_MILLISECONDS = 20;

/** The locks of this process. Without this reference, garbage collection would close a connection and release its lock. */
const connections = new Set<DatabaseSync>();

interface HeldFile {
  readonly connection: DatabaseSync;
  readonly identity: string;
}

/**
 * Locks an empty file with SQLite, the only lock of files that Node has. SQLite also sees other connections of this
 * process. Nothing else may open the file: closing it would release the lock (POSIX record locks).
 * Returns "replaced" if the file was removed before it was locked.
 */
function holdFile(path: string): HeldFile | "held" | "replaced" {
  createEmpty(path);
  const identity = readFileIdentity(path);
  if (identity === null) return "replaced";
  let connection: DatabaseSync | null = null;
  try {
    connection = new DatabaseSync(path, { timeout: BUSY_MILLISECONDS });
    // A journal in memory, so that SQLite writes nothing.
    connection.exec("pragma journal_mode = memory; begin exclusive");
    if (readFileIdentity(path) === identity) {
      connections.add(connection);
      return { connection, identity };
    }
    connection.close();
    return "replaced";
  } catch (error) {
    connection?.close();
    if (isBusy(error)) return "held";
    if (readFileIdentity(path) === null) return "replaced";
    const fault = getErrorMessage(error);
    throw new LockUnusable(
      `${path} cannot be locked: ${fault}. If no process works in this folder, remove the file. ` +
        "Otherwise check its owner, and whether its file system has POSIX locks.",
      { cause: error },
    );
  }
}

/** Creates the file only if it is missing. */
function createEmpty(path: string): void {
  try {
    writeFileSync(path, "", { flag: "wx" });
  } catch (error) {
    // Removed together with its folder; the caller tries again.
    if (getErrorCode(error) !== "EEXIST" && getErrorCode(error) !== "ENOENT") throw error;
  }
}

/** Returns an identity that differs for a later file of the same name; null if the file is missing. */
function readFileIdentity(path: string): string | null {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return null;
  // Versions up to 0.1.0 used a link. SQLite would follow it and create its target.
  if (!stats.isFile()) throw new LockUnusable(`${path} is not a lock. If no process works in this folder, remove it.`);
  return `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`;
}

/** Removes the file, unless the folder was removed and another process has a lock there. */
function release(path: string, { connection, identity }: HeldFile): void {
  try {
    if (readFileIdentity(path) !== identity) return;
    rmSync(`${path}${HOLDER}`, { force: true });
    rmSync(path, { force: true });
  } finally {
    connections.delete(connection);
    connection.close();
  }
}

/** Returns whether a process holds the lock of a folder. Changes nothing. */
export function isLocked(folder: string): boolean {
  const path = join(folder, LOCK);
  if (readFileIdentity(path) === null) return false;
  let connection: DatabaseSync | null = null;
  try {
    connection = new DatabaseSync(path, { readOnly: true, timeout: 0 });
    connection.exec("begin; select 1 from sqlite_schema");
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    if (readFileIdentity(path) === null) return false;
    throw error;
  } finally {
    connection?.close();
  }
}

/**
 * Returns since when a process holds the lock of a folder, "abandoned" if its holder was killed, and null if nobody holds it
 * or the time is unknown.
 */
export async function lockState(folder: string): Promise<Date | "abandoned" | null> {
  const path = join(folder, LOCK);
  if (isLocked(folder)) return (await lstat(`${path}${HOLDER}`).catch(() => null))?.mtime ?? null;
  return readFileIdentity(path) === null ? null : "abandoned";
}

/** SQLITE_BUSY, for any extended code. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 5;
}

function getErrorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}

/** Ends the name of a link whose target names the holder of a lock. A link needs no block on the disk. */
const HOLDER = ".holder";

interface LockHolder {
  readonly pid: number;
  /** Name of its machine or container, because a process id is only unique there. */
  readonly host: string;
}

/** Notes the name of this process for messages. The lock works without it. */
function noteHolder(path: string): void {
  try {
    rmSync(`${path}${HOLDER}`, { force: true });
    symlinkSync(`${process.pid}@${hostname().slice(0, 40)}`, `${path}${HOLDER}`);
  } catch {
    // If the disk is full, messages do not name the process.
  }
}

/** Reads the process that took a lock last; null if it released the lock or could not name itself. */
export async function lockHolder(folder: string): Promise<LockHolder | null> {
  const text = await readlink(join(folder, `${LOCK}${HOLDER}`)).catch(() => "");
  const [, pid, host = ""] = /^([1-9]\d{0,9})@(.+)$/.exec(text) ?? [];
  return pid === undefined ? null : { pid: Number(pid), host };
}

async function heldBy(path: string): Promise<string> {
  const holder = await lockHolder(dirname(path));
  const process = holder === null ? "another process" : `process ${holder.pid} on ${holder.host}`;
  return `${path} is held by ${process}: it is working in this folder. Wait for it to finish, or stop it.`;
}

/** Another build of this store is running. */
class BuildRunning extends Error {
  readonly code = "ERR_BUILD_RUNNING";
  constructor(store: Store, what: string, cause: StoreLocked) {
    super(`${what} must wait for a build or clean-up in ${store.root}. ${cause.message}`, { cause });
    this.name = "BuildRunning";
  }
}

/**
 * Takes the lock of the whole store. Returns the function that releases it. Reading, serving, harvesting and activating
 * do not need it.
 * @throws BuildRunning
 */
export async function lockStore(store: Store, what: string): Promise<() => Promise<void>> {
  return lockFolder(store.root).catch((error: unknown) => {
    throw error instanceof StoreLocked ? new BuildRunning(store, what, error) : error;
  });
}

/** Number of attempts. A change of links takes milliseconds, so a process that still holds the lock then hangs. */
const TRIES = 100;
const WAIT_MILLISECONDS = 20;

/** Runs `work` while no other process changes links, the journal or the releases of this store. */
export async function withLinkLock<T>(
  store: Store,
  sleep: Effects["sleep"] | null,
  work: () => Promise<T>,
): Promise<T> {
  const unlock = await lockWithRetries(store, sleep);
  try {
    return await work();
  } finally {
    await unlock();
  }
}

async function lockWithRetries(store: Store, sleep: Effects["sleep"] | null): Promise<() => Promise<void>> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await lockFolder(store.releases);
    } catch (error) {
      if (!(error instanceof StoreLocked) || sleep === null || left === 0) throw error;
      await sleep(WAIT_MILLISECONDS);
    }
  }
}
