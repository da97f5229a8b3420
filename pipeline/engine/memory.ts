/** Computes how much memory database engines may use. */

import { totalmem } from "node:os";

/** Memory limit for work that processes one row at a time. */
export const DEFAULT_MEMORY = "512MB";

const MIN_BYTES = Number.parseInt(DEFAULT_MEMORY, 10) * 1e6;

/**
 * Number of equal shares into which the memory is divided: one for each of three engines that can be open at once, and
 * one for everything else.
 */
const SHARES = 4;

/** Returns the memory in bytes of the machine or of its container. */
export function machineMemory(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(totalmem(), constrained) : totalmem();
}

/**
 * Returns the memory limit for joining and sorting tables of `bytes` bytes on disk, such as `2000MB`. It is as large as
 * the tables, but at least {@link DEFAULT_MEMORY} and at most a quarter of the machine. With less memory, joins can
 * fail even though they spill to disk.
 */
export function memoryFor(bytes: number, machine = machineMemory()): string {
  const most = Math.max(machine / SHARES, MIN_BYTES);
  return `${Math.ceil(Math.min(Math.max(bytes, MIN_BYTES), most) / 1e6)}MB`;
}
