/** The descriptive fields of a record under the names of their columns. */

import type { RecordFields } from "../../schemas/internal/capture.ts";
import { FIELD_COLUMNS, type FieldColumn } from "../../schemas/public/record-columns.ts";

/** A cell for each column that a normaliser fills. */
export type FieldCells = { readonly [C in FieldColumn as C["name"]]: string | null };

/** Of what has no fields: a tombstone, or what is no dataset. */
export const NO_CELLS: FieldCells = cellsOf(() => null);

export function fieldCells(fields: RecordFields): FieldCells {
  return cellsOf(({ field }) => fields[field] ?? null);
}

function cellsOf(cell: (column: FieldColumn) => string | null): FieldCells {
  const cells: Record<string, string | null> = {};
  for (const column of FIELD_COLUMNS) cells[column.name] = cell(column);
  return cells as FieldCells;
}
