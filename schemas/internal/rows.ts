/** Schemas of the rows of tables (tables.ts), and of the lines in raw parts. */

import { z } from "zod";
import { publicVersion } from "../public/rubric.ts";
import { instant, isoDate, sha256Hex, sourceName } from "../public/scalars.ts";
import { signalId } from "../public/signal.ts";
import type { ColumnType, Table } from "../public/tables.ts";

/**
 * For each column type, the schema of the values that DuckDB returns. {@link rowSchema} also allows null in most columns.
 */
const CELLS: Readonly<Record<ColumnType, z.ZodType>> = {
  text: z.string(),
  int: z
    .int()
    .min(-(2 ** 31))
    .max(2 ** 31 - 1),
  bigint: z.bigint(),
  bool: z.boolean(),
  // At most two decimals, which a JavaScript number can represent.
  hundredths: z.number().refine((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6, {
    error: "must have at most two decimals, such as 48.25",
  }),
};

/** Returns the schema of a row with exactly the columns of the table. Columns in `key` and `always` cannot be null. */
export function rowSchema({ key, always = [], columns: declared }: Table): z.ZodType {
  const columns = Object.entries(declared).map(([name, type]): [string, z.ZodType] => [
    name,
    key.includes(name) || always.includes(name) ? CELLS[type] : CELLS[type].nullable(),
  ]);
  return z.strictObject(Object.fromEntries(columns));
}

export const envelope = z.strictObject({
  source: sourceName,
  sourceId: z.string().min(1).max(2048),
  /** Time of the response; null if a recorded response does not contain it. */
  retrievedAt: instant.nullable(),
  /** URL of the response; null if a recorded response does not contain it. */
  url: z.string().max(4096).nullable(),
  /** HTTP status: 200 for a record, 404 or 410 for a removed record. */
  status: z.int().min(100).max(599),
  payloadDigest: sha256Hex,
  /** The text of the record, byte for byte as the source sent it (UTF-8). */
  payload: z.string(),
  /** Set if `share-release fixtures` generated the record. */
  generated: z.literal(true).optional(),
});
export type Envelope = z.infer<typeof envelope>;

const count = z.int().min(0);

export const handJudged = z.strictObject({
  asOf: isoDate,
  datasets: count,
  signals: z.array(
    z.strictObject({
      rubric: publicVersion,
      signal: signalId,
      presentPassed: count,
      presentAbsent: count,
      presentUnjudged: count,
      absentPassed: count,
      absentAbsent: count,
      absentUnjudged: count,
    }),
  ),
});
export type HandJudged = z.infer<typeof handJudged>;
