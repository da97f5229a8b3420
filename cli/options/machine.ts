/** What this machine has for a build. */

import { statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Machine } from "../../operations/plan/index.ts";
import { machineMemory } from "../../pipeline/engine/memory.ts";

/** `store` may be a folder that is not there yet. */
export async function machineUnder(store: string): Promise<Machine> {
  return { memory: machineMemory(), disk: await freeBytes(resolve(store)) };
}

async function freeBytes(path: string): Promise<number> {
  try {
    const disk = await statfs(path);
    return disk.bavail * disk.bsize;
  } catch (error) {
    if (dirname(path) === path) throw error;
    return freeBytes(dirname(path));
  }
}
