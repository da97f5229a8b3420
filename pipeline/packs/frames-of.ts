/** How the pages of a family share frames. */

import type { PackOptions } from "./pack-writer.ts";

/** Pages in a frame, as a power of two: enough that a frame has some 32 KiB (docs/packs.md). */
const BITS: Readonly<Record<string, number>> = { record: 2, impact: 7, author: 5 };

/** Badges are mostly alike. */
export function framesOf(family: string): PackOptions["frames"] {
  const route = family.slice(family.indexOf("/") + 1);
  return route.endsWith("badge") ? "alike" : { bits: BITS[route] ?? 1 };
}
