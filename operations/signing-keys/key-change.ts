/** When something is said of a key, and how it waits for another process that changes the store too. */

import type { Effects } from "../../pipeline/stage/effects.ts";

export interface KeyChange {
  readonly at: string;
  readonly sleep: Effects["sleep"];
}
