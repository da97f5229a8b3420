/**
 * Signs of life of servers. Each server has a folder in the store's `queries/`, with a file that it updates regularly. A
 * process ID would not do, because servers in containers may share a store without seeing each other's processes.
 */

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../files/durable.ts";
import { lockState } from "./locks.ts";
import type { Store } from "./store.ts";

/** Name of the file that is updated regularly while the folder is in use. */
export const SIGN_OF_LIFE = "alive";

/**
 * Time without a sign of life after which a folder counts as abandoned. It is long, because the machine may sleep
 * meanwhile.
 */
export const ABANDONED_MILLISECONDS = 600_000;

/**
 * Returns the time of a folder's last sign of life, in milliseconds: the last change of the folder or of its marker.
 * Infinity if the folder is gone.
 */
export async function lastSign(folder: string): Promise<number> {
  const times = await Promise.all([folder, join(folder, SIGN_OF_LIFE)].map(readTime));
  return Math.max(...times) > 0 ? Math.max(...times) : Number.POSITIVE_INFINITY;
}

/**
 * True if a server of the store gave a sign of life recently. The caller must hold the lock of `releases/`: its time is
 * compared, because it is of the same file system, and the clocks of machines may differ.
 */
export async function hasRunningServer(store: Store): Promise<boolean> {
  const now = await lockState(store.releases);
  if (!(now instanceof Date)) return true;
  for (const run of await namesIn(store.queries(""))) {
    const sign = await lastSign(store.queries(run));
    if (Number.isFinite(sign) && now.getTime() - sign < ABANDONED_MILLISECONDS) return true;
  }
  return false;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
}

async function readTime(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}
