/** Row schemas of the tables between stages and in a release: the declaration in tables.ts as something that validates. */

import { z } from "zod";
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
