/**
 * Locks a folder or the whole store, so that only one process works there. The operating system releases the lock when
 * the process ends. Containers that share a volume see each other's locks, although their process ids differ.
 */

import { lstatSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { lstat, mkdir, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Effects, getErrorMessage } from "../stage/effects.ts";
import type { Store } from "./store.ts";

/** The error if another process holds the lock. */
export class StoreLocked extends Error {
  readonly code = "store-locked";
}

/**
 * The error if a lock cannot be used: it is not a plain file, it belongs to another user, or its file system does not
 * support locks.
 */
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

/** Name of the file that is locked, in every folder. */
export const LOCK = "lock";

/**
 * Milliseconds to wait if another process locks the file at the same moment. The wait is short, because it blocks the
 * event loop.
 */
const BUSY_MILLISECONDS = 20;

/**
 * Connections that hold the locks of this process. They are stored here because garbage collection would otherwise
 * close them and so release the locks.
 */
const connections = new Set<DatabaseSync>();

interface HeldFile {
  readonly connection: DatabaseSync;
  readonly identity: string;
}

/**
 * Locks an empty file with SQLite, because Node has no other way to lock a file. SQLite also detects other connections
 * in this process. No other code may open the file, because closing it would release the lock (POSIX record locks).
 * Returns "held" if another process has the lock, and "replaced" if the file was removed in the meantime.
 */
function holdFile(path: string): HeldFile | "held" | "replaced" {
  createEmpty(path);
  const identity = readFileIdentity(path);
  if (identity === null) return "replaced";
  let connection: DatabaseSync | null = null;
  try {
    connection = new DatabaseSync(path, { timeout: BUSY_MILLISECONDS });
    // With the journal in memory, SQLite writes nothing to the disk.
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

/** Creates an empty file, unless a file of that name exists. */
function createEmpty(path: string): void {
  try {
    writeFileSync(path, "", { flag: "wx" });
  } catch (error) {
    // If the folder is missing, it was just removed, and the caller tries again.
    if (getErrorCode(error) !== "EEXIST" && getErrorCode(error) !== "ENOENT") throw error;
  }
}

/**
 * Returns a text that identifies a file, such that another file at the same path has a different text. Returns null if
 * the file is missing.
 */
function readFileIdentity(path: string): string | null {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return null;
  // Versions up to 0.1.0 used a link. SQLite would follow it and create its target.
  if (!stats.isFile()) throw new LockUnusable(`${path} is not a lock. If no process works in this folder, remove it.`);
  return `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`;
}

/**
 * Releases the lock and removes its file. Leaves the file if it is another one, because the folder was replaced and
 * another process has locked it there.
 */
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

/** True if a process holds the lock of the folder. Does not change anything. */
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
 * Returns the time at which a process took the lock that it still holds. Returns "abandoned" if the process was killed,
 * and null if the lock is not held or the time is unknown.
 */
export async function lockState(folder: string): Promise<Date | "abandoned" | null> {
  const path = join(folder, LOCK);
  if (isLocked(folder)) return (await lstat(`${path}${HOLDER}`).catch(() => null))?.mtime ?? null;
  return readFileIdentity(path) === null ? null : "abandoned";
}

/** True for SQLITE_BUSY and its extended codes. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 5;
}

function getErrorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}

/**
 * Suffix of a symbolic link that describes which process holds the lock. The description is its target, so it needs no
 * space on a full disk.
 */
const HOLDER = ".holder";

interface LockHolder {
  readonly pid: number;
  /** Name of the machine or container on which the process runs, because process ids are only unique within it. */
  readonly host: string;
}

/**
 * Records which process holds the lock, for the messages of other processes. The lock also works without this record.
 */
function noteHolder(path: string): void {
  try {
    rmSync(`${path}${HOLDER}`, { force: true });
    symlinkSync(`${process.pid}@${hostname().slice(0, 40)}`, `${path}${HOLDER}`);
  } catch {
    // If the disk is full, messages do not name the process.
  }
}

/**
 * Reads which process took the lock last. Returns null if that process has released the lock, or if it was not
 * recorded.
 */
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

/** The error if another build of this store is running. */
class BuildRunning extends Error {
  readonly code = "ERR_BUILD_RUNNING";
  constructor(store: Store, what: string, cause: StoreLocked) {
    super(`${what} must wait for a build or clean-up in ${store.root}. ${cause.message}`, { cause });
    this.name = "BuildRunning";
  }
}

/**
 * Takes the lock of the whole store for a build. Returns the function that releases it. Reading, serving, harvesting and
 * activating do not need this lock.
 * @throws BuildRunning
 */
export async function lockStore(store: Store, what: string): Promise<() => Promise<void>> {
  return lockFolder(store.root).catch((error: unknown) => {
    throw error instanceof StoreLocked ? new BuildRunning(store, what, error) : error;
  });
}

/**
 * Number of attempts to take the lock. Changing a link takes milliseconds, so after all these attempts the other
 * process must have stopped responding.
 */
const TRIES = 100;
const WAIT_MILLISECONDS = 20;

/** Runs `work` while no other process changes links, the journal or the releases of the store. */
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
