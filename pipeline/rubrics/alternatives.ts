/** Rules that hold by one of several columns: what a source never carries then leaves the decision to the others. */

import type { Signal } from "../../schemas/public/rubric.ts";

export function alternatives({ rule }: Pick<Signal, "rule">): boolean {
  return /\bor\b/.test(rule);
}
