/** One gate as it was found, and the words its figures are told in. */

import type { Gate } from "../../schemas/public/gates.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";

/** `source` and `rubric` are null where it is of the whole release. */
export function gateOf(
  gate: Gate["gate"],
  passed: boolean,
  detail: string,
  source: string | null = null,
  rubric: PublicVersion | null = null,
): Gate {
  return { gate, source, rubric, passed, detail };
}

/** A share as `2.5 %`. */
export function percent(share: number): string {
  return `${Math.round(10_000 * share) / 100} %`;
}
