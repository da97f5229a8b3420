/**
 * Locks a folder or the whole store, so that only one process works there. The operating system releases the lock when its
 * process ends. Locks also work between containers that share a volume but have separate process ids.
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

/**
 * The lock cannot be used: it is not a plain file, it belongs to another user, or its file system does not support locks.
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
 * Milliseconds to wait for a process that locks at the same moment. The wait is short, because it blocks the event loop.
 */
const BUSY_MILLISECONDS = 20;

/**
 * Open locks of this process. Without this reference, garbage collection would close a connection and thereby release its
 * lock.
 */
const connections = new Set<DatabaseSync>();

interface HeldFile {
  readonly connection: DatabaseSync;
  readonly identity: string;
}

/**
 * Locks an empty file with SQLite, because Node has no other way to lock a file. SQLite also sees other connections of this
 * process. Nothing else may open the file, because closing it would release the lock (POSIX record locks). Returns "held"
 * if another process has the lock, and "replaced" if the file was removed meanwhile.
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

/** Creates an empty file, unless it exists. */
function createEmpty(path: string): void {
  try {
    writeFileSync(path, "", { flag: "wx" });
  } catch (error) {
    // Removed together with its folder; the caller tries again.
    if (getErrorCode(error) !== "EEXIST" && getErrorCode(error) !== "ENOENT") throw error;
  }
}

/**
 * Returns a text that identifies this file, even if another file gets the same name later. Returns null if the file is
 * missing.
 */
function readFileIdentity(path: string): string | null {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return null;
  // Versions up to 0.1.0 used a link. SQLite would follow it and create its target.
  if (!stats.isFile()) throw new LockUnusable(`${path} is not a lock. If no process works in this folder, remove it.`);
  return `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`;
}

/**
 * Releases the lock and removes the file. If the folder was replaced and another process has a lock there, does not remove
 * its file.
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
 * Returns the time since which a process holds the lock of the folder. Returns "abandoned" if that process was killed, and
 * null if no process holds the lock or the time is unknown.
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

/** Suffix of a link whose target describes the process that holds the lock. A link takes no space on a full disk. */
const HOLDER = ".holder";

interface LockHolder {
  readonly pid: number;
  /** Name of the machine or container of the process, because process ids are only unique within one. */
  readonly host: string;
}

/** Records this process for messages of others. The lock works without this. */
function noteHolder(path: string): void {
  try {
    rmSync(`${path}${HOLDER}`, { force: true });
    symlinkSync(`${process.pid}@${hostname().slice(0, 40)}`, `${path}${HOLDER}`);
  } catch {
    // If the disk is full, messages do not name the process.
  }
}

/** Reads which process took the lock last. Returns null if it released the lock or was not recorded. */
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
 * Number of attempts to take the lock. Changes of links take milliseconds, so after so many attempts the other process
 * hangs.
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
