/** How much memory the engine may take. */

import { totalmem } from "node:os";

/** Where nobody says how much, and what is done holds little of each row. */
export const DEFAULT_MEMORY = "512MB";

const LEAST = 512e6;

/**
 * Memory for what joins and sorts whole tables, made of so many bytes on the disk: as much as these, from {@link DEFAULT_MEMORY}
 * on and up to half of what the machine has. With less, joins that are put on the disk can find no room for what they hold.
 */
export function memoryFor(bytes: number): string {
  const most = Math.max(totalmem() / 2, LEAST);
  return `${Math.ceil(Math.min(Math.max(bytes, LEAST), most) / 1e6)}MB`;
}
