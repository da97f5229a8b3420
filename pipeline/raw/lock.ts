/** raw/<source>/lock: one harvest a source at a time; a lock whose process is gone is taken over. */

import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** Another harvest of the same source is running. */
export class StoreLocked extends Error {
  readonly code = "store-locked";
}

const holder = z.object({ pid: z.int().positive(), started: z.string().nullable(), token: z.string() });
type Holder = z.infer<typeof holder>;

/** Tokens of the locks this very process holds: its own pid alone proves nothing after a restart in a container. */
const held = new Set<string>();

/** Takes the lock of a folder; answers the function that gives it back. Throws {@link StoreLocked} where it is held. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, "lock");
  const mine: Holder = { pid: process.pid, started: await startOf(process.pid), token: randomUUID() };
  for (let attempt = 0; attempt < 3; attempt++) {
    if (await claim(path, mine)) return () => release(path, mine);
    const other = await read(path);
    if (other !== null && (await isAlive(other))) {
      throw new StoreLocked(
        `${path} is held by process ${other.pid}: it is at work in this folder. Wait for it or stop it.`,
      );
    }
    await setAside(path, other);
  }
  throw new StoreLocked(`${path} could not be taken: other processes are trying at the same time. Try again.`);
}

/** Hard-linking a finished file is atomic and fails where the name exists: nobody reads a half-written lock. */
async function claim(path: string, mine: Holder): Promise<boolean> {
  const draft = `${path}.${mine.token}`;
  await writeFile(draft, JSON.stringify(mine));
  try {
    await link(draft, path);
    held.add(mine.token);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function release(path: string, mine: Holder): Promise<void> {
  held.delete(mine.token);
  if ((await read(path))?.token === mine.token) await rm(path, { force: true });
}

/** Moves a dead lock out of the way; where a newer one was caught instead, puts it back. */
async function setAside(path: string, dead: Holder | null): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  const moved = await read(aside);
  if (moved !== null && moved.token !== dead?.token) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
}

async function read(path: string): Promise<Holder | null> {
  try {
    return holder.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    // Gone in the meantime, or not one of ours: no living process stands behind it.
    return null;
  }
}

async function isAlive(other: Holder): Promise<boolean> {
  if (other.pid === process.pid) return held.has(other.token);
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
  const started = await startOf(other.pid);
  return started === null || other.started === null || started === other.started;
}

/** Boot and start tick of a process, where the system tells (Linux): a pid used again is another process. */
async function startOf(pid: number): Promise<string | null> {
  try {
    const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // Field 22 of proc_pid_stat(5); the name in field 2 may hold spaces, so count from its closing bracket.
    return `${boot}:${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""}`;
  } catch {
    return null;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}
