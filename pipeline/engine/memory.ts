/** How much memory the engine may take. */

import { totalmem } from "node:os";

/** Where nobody says how much, and what is done holds little of each row. */
export const DEFAULT_MEMORY = "512MB";

const LEAST = Number.parseInt(DEFAULT_MEMORY, 10) * 1e6;

/** Engines that a stage may have open at a time, with room left for what is no engine. */
const SHARES = 4;

/** Bytes of memory that this process may use: those of the machine, or of the container that it runs in. */
export function machineMemory(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(totalmem(), constrained) : totalmem();
}

/**
 * Memory for what joins and sorts whole tables, made of so many bytes on the disk: as much as these, from {@link DEFAULT_MEMORY}
 * on and up to a quarter of what there is. With less, joins that are put on the disk can find no room for what they hold.
 */
export function memoryFor(bytes: number, machine = machineMemory()): string {
  const most = Math.max(machine / SHARES, LEAST);
  return `${Math.ceil(Math.min(Math.max(bytes, LEAST), most) / 1e6)}MB`;
}
