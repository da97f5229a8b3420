/** Row schemas of the tables between stages and in a release: the declaration in tables.ts as something that validates. */

import { z } from "zod";
import { publicVersion } from "../public/rubric.ts";
import { instant, isoDate, sha256Hex, sourceName } from "../public/scalars.ts";
import { signalId } from "../public/signal.ts";
import type { ColumnType, Table } from "../public/tables.ts";

/** A value of each column type, as DuckDB hands it over; any column may be null. */
const CELLS: Readonly<Record<ColumnType, z.ZodType>> = {
  text: z.string(),
  int: z
    .int()
    .min(-(2 ** 31))
    .max(2 ** 31 - 1),
  bigint: z.bigint(),
  bool: z.boolean(),
  // Two decimals at the most, in steps that a number can tell apart.
  hundredths: z.number().refine((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6, {
    error: "more than two decimals",
  }),
};

/** Schema of one row: exactly the table's columns; those of its key, and those that are always there, are never null. */
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
  /** When the answer was received; null where recorded input does not say. */
  retrievedAt: instant.nullable(),
  /** Where it came from; null for recorded input without one. */
  url: z.string().max(4096).nullable(),
  /** HTTP status: 200, or 404/410 for a record that is gone. */
  status: z.int().min(100).max(599),
  payloadDigest: sha256Hex,
  /** The record's own text, byte for byte as the source wrote it (UTF-8). */
  payload: z.string(),
  /** Made by `share-release fixtures`: no source said it, and it is evidence of nothing. */
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
