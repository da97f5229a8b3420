/** How much memory engines may use. */

import { totalmem } from "node:os";

/** Memory for work that needs little of each row. */
export const DEFAULT_MEMORY = "512MB";

const MIN_BYTES = Number.parseInt(DEFAULT_MEMORY, 10) * 1e6;

/** Engines that may be open at a time, plus the share of the rest of the process. */
const SHARES = 4;

/** Returns the memory in bytes of the machine or of its container. */
export function machineMemory(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(totalmem(), constrained) : totalmem();
}

/**
 * Returns the memory for joining and sorting tables of so many bytes on the disk: the same size, but at least {@link
 * DEFAULT_MEMORY} and at most a quarter of the machine. With less memory, joins can fail although they spill.
 */
export function memoryFor(bytes: number, machine = machineMemory()): string {
  const most = Math.max(machine / SHARES, MIN_BYTES);
  return `${Math.ceil(Math.min(Math.max(bytes, MIN_BYTES), most) / 1e6)}MB`;
}
