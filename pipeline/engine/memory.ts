/** Computes how much memory database engines may use. */

import { totalmem } from "node:os";

/** Memory for work that processes one row at a time. */
export const DEFAULT_MEMORY = "512MB";

const MIN_BYTES = Number.parseInt(DEFAULT_MEMORY, 10) * 1e6;

/**
 * The memory is divided into so many equal shares: one for each engine that may be open at once, and one for everything
 * else.
 */
const SHARES = 4;

/** Returns the memory in bytes of the machine or of its container. */
export function machineMemory(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(totalmem(), constrained) : totalmem();
}

/**
 * Returns the memory for joining and sorting tables that have `bytes` bytes on the disk. It is as large as the tables, but
 * at least {@link DEFAULT_MEMORY} and at most a quarter of the machine. With less memory, joins can fail even though they
 * spill to disk.
 */
export function memoryFor(bytes: number, machine = machineMemory()): string {
  const most = Math.max(machine / SHARES, MIN_BYTES);
  return `${Math.ceil(Math.min(Math.max(bytes, MIN_BYTES), most) / 1e6)}MB`;
}
