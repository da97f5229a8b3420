/** Select lists by name, texts of rows, and rows back as objects: how page queries and page data agree. */

import type { Cell } from "../engine/open.ts";

/** Columns of one relation as `alias.column` in a fixed order. */
export function select(alias: string, columns: readonly string[]): string {
  return columns.map((column) => `${alias}.${column}`).join(", ");
}

/**
 * Cells as the text of a row, an array of JSON, for `streamTexts`. Decimals and what may have more than 53 bits have to be
 * text before: of them, JSON's numbers lose digits.
 */
export function textOfRow(cells: readonly string[]): string {
  return `json_array(${cells.join(", ")})::varchar`;
}

/** The text of a row with one more cell before it: a text that needs no escapes, such as hexadecimal digits. */
export function textAfter(cell: string, text: string): string {
  return `concat('["', ${cell}, '",', substr(${text}, 2))`;
}

/** The columns of a row from `offset` on as an object; decimals become text with two places. */
export function objectOf<T>(columns: readonly (keyof T & string)[], row: readonly Cell[], offset = 0): T {
  const object: Record<string, unknown> = {};
  for (let i = 0; i < columns.length; i += 1) {
    const name = columns[i];
    if (name !== undefined) object[name] = plain(row[offset + i] ?? null);
  }
  return object as T;
}

/** DuckDB's decimal is an object with an exact text. */
function plain(cell: unknown): unknown {
  return typeof cell === "object" && cell !== null ? String(cell) : cell;
}
