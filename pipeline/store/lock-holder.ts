/**
 * The holder of a lock: written as where a symbolic link leads, which is made with its content in one step and needs no
 * room for data, so that a lock can be taken on a disk that is full, as clearing up must.
 */

import { readFile, readlink } from "node:fs/promises";

export interface LockHolder {
  readonly pid: number;
  /** Boot and start tick, where the system tells: a pid used again is another process. */
  readonly started: string | null;
  /** Of this one taking. */
  readonly token: string;
}

/** At most 59 bytes: file systems keep as much beside the name, in the inode. */
export function lockText({ pid, started, token }: LockHolder): string {
  return `${pid}@${started ?? ""}#${token}`;
}

const HOLDER = /^(?<pid>[1-9]\d{0,9})@(?<started>[0-9a-f]{8}:\d+)?#(?<token>[0-9a-f]{16})$/;

/** The holder of the lock of that path; null where there is no lock, or none of ours. */
export async function lockHolder(path: string): Promise<LockHolder | null> {
  const found = HOLDER.exec(await readlink(path).catch(() => ""))?.groups;
  if (found === undefined) return null;
  const { pid, started = null, token = "" } = found;
  return { pid: Number(pid), started, token };
}

/** Whether that process runs: a number that was given to another one since is not the one that took the lock. */
export async function holderRuns({ pid, started }: LockHolder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  const now = await startOf(pid);
  return now === null || started === null || now === started;
}

/** The first digits of the boot's id and the start tick of a process, where the system tells (Linux). */
export async function startOf(pid: number): Promise<string | null> {
  try {
    const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8");
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // Field 22 of proc_pid_stat(5); the name in field 2 may hold spaces, so count from its closing bracket.
    const tick = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return tick === undefined ? null : `${boot.slice(0, 8)}:${tick}`;
  } catch {
    return null;
  }
}
