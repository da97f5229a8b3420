/** Input that was no record at all, and why. */

import { z } from "zod";
import { sourceName } from "./scalars.ts";

/** Why input was no record at all: a closed list, so that receipts can be compared. */
export const REFUSALS = [
  "empty",
  "binary",
  "encoding",
  "truncated",
  "not-json",
  "too-deep",
  "too-large",
  "error-answer",
  "retired-format",
  "unknown-shape",
  "no-identifier",
  "unreadable",
] as const;
export const refusalReason = z.enum(REFUSALS);
export type RefusalReason = z.infer<typeof refusalReason>;

/** One piece of refused input: which file, which line or item, what was wrong. */
export const refusal = z.strictObject({
  source: sourceName,
  file: z.string(),
  /** 1-based line (JSON Lines) or item (list envelope); null for a whole file. */
  line: z.int().min(1).nullable(),
  reason: refusalReason,
  detail: z.string(),
  /** How many pieces the line speaks of, where there are too many to have a line each. */
  count: z.int().min(1).optional(),
});
export type Refusal = z.infer<typeof refusal>;
