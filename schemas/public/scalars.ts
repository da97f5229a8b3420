/** Formats of names, digests and times in several schemas. */

import { z } from "zod";

export const sourceName = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/);
export const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);

/** A time in UTC (ISO 8601), as `Date.prototype.toISOString` writes it. */
export const instant = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/)
  .meta({ format: "date-time" });
export const isoDate = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .meta({ format: "date" });
