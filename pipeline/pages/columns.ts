/**
 * Opens the tables of a release, builds select lists for them, and reads rows as objects. Queries and pages share this
 * code, so that they use the same columns.
 */

import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  JOIN_TABLES,
  LATER_TABLES,
  OPTIONAL_TABLES,
  publishedName,
  RELEASE_TABLES,
  type Table,
} from "../../schemas/public/tables.ts";
import { type Cell, type Database, type DuckDBOptions, openDuckDB } from "../engine/open.ts";

export function select(alias: string, columns: readonly string[]): string {
  return columns.map((column) => `${alias}.${column}`).join(", ");
}

/**
 * Returns SQL that converts a row to a JSON array. Decimals, and integers of more than 53 bits, must already be text,
 * because JSON numbers would lose digits.
 */
export function textOfRow(cells: readonly string[]): string {
  return `json_array(${cells.join(", ")})::varchar`;
}

/**
 * Returns SQL that adds a cell at the front of a JSON array that {@link textOfRow} made. The cell must be a text
 * without characters that JSON escapes, for example hexadecimal digits.
 */
export function textAfter(cell: string, text: string): string {
  return `concat('["', ${cell}, '",', substr(${text}, 2))`;
}

/**
 * Returns an object with the given columns. Takes their values from the cells of a row, beginning at `offset`. Decimals
 * become text with two places.
 */
export function toRowObject<T>(columns: readonly (keyof T & string)[], row: readonly Cell[], offset = 0): T {
  const object: Record<string, unknown> = {};
  for (let i = 0; i < columns.length; i += 1) {
    const name = columns[i];
    if (name !== undefined) object[name] = plainValue(row[offset + i] ?? null);
  }
  return object as T;
}

/** Converts a cell to a plain value. DuckDB returns a decimal as an object, which becomes text. */
function plainValue(cell: unknown): unknown {
  return typeof cell === "object" && cell !== null ? String(cell) : cell;
}

/** Folders of the tables of a release, by table name. Optional tables may be missing. */
export type TablePaths = Readonly<Record<string, string>>;

export interface TablesOptions extends DuckDBOptions {
  /**
   * True if an earlier program version may have made the tables. Columns that it did not have are then null. Tables of
   * a later format are empty, or missing if its pages do not show them.
   */
  readonly isOlder?: boolean;
}

/** Opens the tables in a database, in which they have their usual names. Close the database in a `finally`. */
export async function openTables(paths: TablePaths, options: TablesOptions): Promise<Database> {
  const db = await openDuckDB(options);
  try {
    const optional = OPTIONAL_TABLES.filter(({ name }) => paths[name] !== undefined);
    for (const table of [...RELEASE_TABLES, ...optional]) {
      const isMissing = options.isOlder === true && !existsSync(paths[table.name] ?? "");
      if (isMissing && LATER_TABLES.includes(table)) continue;
      if (isMissing && JOIN_TABLES.includes(table)) await db.create(table);
      else if (options.isOlder === true) await db.inputOlder(table, getPath(paths, table.name));
      else await db.input(table, getPath(paths, table.name));
    }
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

function getPath(paths: TablePaths, name: string): string {
  const path = paths[name];
  if (path === undefined) throw new Error(`the paths of the release do not contain the table ${name}; report this`);
  return path;
}

export function releaseTablePaths(release: string, tables: readonly Table[] = RELEASE_TABLES): TablePaths {
  return Object.fromEntries(tables.map((table) => [table.name, join(release, "data", publishedName(table))]));
}

export async function dataBytes(...releases: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const release of releases) {
    const entries = await readdir(join(release, "data"), { recursive: true, withFileTypes: true });
    for (const entry of entries) if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}
