/** The raw envelope: one captured payload a line, verbatim, with where and when it was got (files: <store>/raw/<source>/). */

import { z } from "zod";

export const sourceName = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/);
export const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);

/** ISO 8601 instant in UTC, as written by `Date.prototype.toISOString`. */
export const instant = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/)
  .meta({ format: "date-time" });
export const isoDate = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .meta({ format: "date" });

export const envelope = z.strictObject({
  source: sourceName,
  sourceId: z.string().min(1).max(2048),
  /** When the answer was received; null where recorded input does not say. */
  retrievedAt: instant.nullable(),
  /** Where it came from; null for recorded input without one. */
  url: z.string().max(4096).nullable(),
  /** HTTP status: 200, or 404/410 for a record that is gone. */
  status: z.int().min(100).max(599),
  payloadDigest: sha256Hex,
  /** The record's own text, byte for byte as the source wrote it (UTF-8). */
  payload: z.string(),
});
export type Envelope = z.infer<typeof envelope>;

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
});
export type Refusal = z.infer<typeof refusal>;
