/**
 * Locks, so that one process at a time works in a folder or on the whole store. The lock of a dead process is replaced.
 */

import { randomBytes, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, readlink, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { Effects } from "../stage/effects.ts";
import type { Store } from "./store.ts";

/** Another process holds the lock. */
export class StoreLocked extends Error {
  readonly code = "store-locked";
}

/** Tokens of the locks of this process. Its pid alone is not unique after a restart in a container. */
const ownTokens = new Set<string>();

/**
 * Takes the lock of a folder. Returns the function that releases it.
 * @throws StoreLocked
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, "lock");
  const token = randomBytes(8).toString("hex");
  const mine: LockHolder = { pid: process.pid, started: await startOf(process.pid), token };
  for (let attempt = 0; attempt < 3; attempt++) {
    await mkdir(folder, { recursive: true });
    if (await claim(path, mine)) return () => release(path, mine);
    const other = await lockHolder(path);
    if (other !== null && (await isAlive(other))) {
      throw new StoreLocked(
        `${path} is held by process ${other.pid}: it is working in this folder. Wait for it to finish, or stop it.`,
      );
    }
    await moveAside(path, other);
  }
  throw new StoreLocked(`${path} cannot be locked, because other processes try at the same time. Try again.`);
}

/** Creates a link, which is atomic and fails if the name exists, so that no lock is ever incomplete. */
async function claim(path: string, mine: LockHolder): Promise<boolean> {
  // Added first, so that other calls in this process find the lock alive.
  ownTokens.add(mine.token);
  try {
    await symlink(lockText(mine), path);
    return true;
  } catch (error) {
    ownTokens.delete(mine.token);
    // Another process holds the lock, or has just removed the folder.
    if (codeOf(error) === "EEXIST" || codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

async function release(path: string, mine: LockHolder): Promise<void> {
  ownTokens.delete(mine.token);
  if ((await lockHolder(path))?.token === mine.token) await rm(path, { force: true });
}

/** Removes a dead lock; restores it if a newer one replaced it meanwhile. */
async function moveAside(path: string, dead: LockHolder | null): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  const moved = await lockHolder(aside);
  if (moved !== null && moved.token !== dead?.token) await symlink(await readlink(aside), path).catch(() => {});
  await rm(aside, { recursive: true, force: true });
}

/** This process knows its own locks. */
async function isAlive(other: LockHolder): Promise<boolean> {
  return other.pid === process.pid ? ownTokens.has(other.token) : isHolderRunning(other);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}

interface LockHolder {
  readonly pid: number;
  /** Boot and start tick, if the system states them, to recognise a reused pid. */
  readonly started: string | null;
  /** Unique for each time the lock is taken. */
  readonly token: string;
}

/** Returns at most 59 bytes, which file systems store in the inode. */
function lockText({ pid, started, token }: LockHolder): string {
  return `${pid}@${started ?? ""}#${token}`;
}

const HOLDER = /^(?<pid>[1-9]\d{0,9})@(?<started>[0-9a-f]{8}:\d+)?#(?<token>[0-9a-f]{16})$/;

/** Reads the holder of a lock; null if there is no lock of this format. */
export async function lockHolder(path: string): Promise<LockHolder | null> {
  const found = HOLDER.exec(await readlink(path).catch(() => ""))?.groups;
  if (found === undefined) return null;
  const { pid, started = null, token = "" } = found;
  return { pid: Number(pid), started, token };
}

/** True if the process still runs. A reused pid is another process. */
export async function isHolderRunning({ pid, started }: LockHolder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  const now = await startOf(pid);
  return now === null || started === null || now === started;
}

/** Returns the first digits of the boot id, and the start tick of a process (Linux). */
async function startOf(pid: number): Promise<string | null> {
  try {
    const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8");
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // Field 22 of proc_pid_stat(5). Field 2 may have spaces, so the count starts at its closing bracket.
    const tick = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return tick === undefined ? null : `${boot.slice(0, 8)}:${tick}`;
  } catch {
    return null;
  }
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
  return lockAndSweep(store.root).catch((error: unknown) => {
    throw error instanceof StoreLocked ? new BuildRunning(store, what, error) : error;
  });
}

/** Number of attempts. A change of links takes milliseconds, so after this a process hangs. */
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
      return await lockAndSweep(store.releases);
    } catch (error) {
      if (!(error instanceof StoreLocked) || sleep === null || left === 0) throw error;
      await sleep(WAIT_MILLISECONDS);
    }
  }
}

async function lockAndSweep(folder: string): Promise<() => Promise<void>> {
  const unlock = await lockFolder(folder);
  await sweepAsides(folder);
  return unlock;
}

/** Names of dead locks that are being removed. */
const ASIDE = /^lock\.[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Removes dead locks that a killed process had moved aside. */
async function sweepAsides(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => ASIDE.test(each))) {
    const holder = await lockHolder(join(folder, name));
    if (holder === null || !(await isHolderRunning(holder)))
      await rm(join(folder, name), { recursive: true, force: true });
  }
}
