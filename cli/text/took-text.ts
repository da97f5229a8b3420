/** How long a build took, by stage, for people. */

import type { ReleaseResult } from "../../releases/activate.ts";
import { duration } from "./duration.ts";

export function tookText({ steps, seconds }: ReleaseResult["took"], records: number): string {
  const rate = Math.round(records / Math.max(seconds, 1)).toLocaleString("en");
  const each = steps.map(({ step, seconds: taken }) => `${step} ${duration(taken)}`).join(", ");
  return `${"took".padEnd(12)}${duration(seconds)}, ${rate} records a second: ${each}`;
}
