/** --reason of what is said for good: one line, for others to read. */

import { InvalidArgumentError } from "commander";
import { LONGEST_REASON, retractionReason } from "../../../schemas/public/retraction.ts";

/** @throws InvalidArgumentError */
export function statedReason(text: string): string {
  const reason = retractionReason.safeParse(text.trim());
  if (!reason.success)
    throw new InvalidArgumentError(`expected a line of 1 to ${LONGEST_REASON} characters, without control characters.`);
  return reason.data;
}
