/** What stages 2 to 4 ask of an engine: SQL over tables that are folders of Parquet, in a dialect that all of them understand. */

import type { ColumnType, ValueOf } from "../../schemas/public/record-columns.ts";
import type { Table } from "../../schemas/public/tables.ts";

/** A value of one of our column types as an engine gives it back. */
export type Cell = string | number | bigint | boolean | null;

/** A table that is handed over, not computed. */
export type GivenTable = Pick<Table, "name" | "columns">;

/** A row of one, every column by its name. */
export type GivenRow = Readonly<Record<string, ValueOf<ColumnType> | null>>;

export interface Engine {
  /** One statement. */
  run(sql: string): Promise<void>;
  /**
   * Every statement of a file. Where it says `getvariable('name')`, it reads the text or number that is given.
   * @throws SqlError naming the file, with the engine's message
   */
  runFile(file: URL, variables?: Readonly<Record<string, string | number>>): Promise<void>;
  /**
   * A file of checks: each statement selects the rows that break one rule, the first column naming the rule.
   * @throws CheckError with the first rows found
   */
  check(file: URL): Promise<void>;
  /** Makes a folder of Parquet files readable under the table's name (parts.ts). */
  input(table: Table, folder: string): Promise<void>;
  /** Writes the relation of the table's name as such a folder, columns and order as the table declares them; gives its rows. */
  output(table: Table, folder: string): Promise<number>;
  /** All rows of a small result, as objects. */
  rows(sql: string): Promise<Record<string, Cell>[]>;
  /** Makes a table of rows at hand, of which there may be none. */
  fill(table: GivenTable, rows: readonly GivenRow[]): Promise<void>;
  /** Gives up all tables. */
  close(): void | Promise<void>;
}
