/** Rows into a table of the engine, by the names of its columns. */

import type { DuckDBAppender } from "@duckdb/node-api";
import type { ColumnType, ValueOf } from "../../schemas/public/record-columns.ts";
import type { Table, TableRow } from "../../schemas/public/tables.ts";

export class RowAppender<T extends Table> implements RowSink<TableRow<T>> {
  readonly #appender: DuckDBAppender;
  readonly #columns: readonly string[];

  /** `appender` is one of that table. */
  constructor(appender: DuckDBAppender, table: T) {
    this.#appender = appender;
    this.#columns = Object.keys(table.columns);
  }

  append(row: TableRow<T>): void {
    const values: Readonly<Record<string, ValueOf<ColumnType> | null>> = row;
    for (const name of this.#columns) this.#value(values[name] ?? null);
    this.#appender.endRow();
  }

  /** Hands over what was appended so far; more may follow. */
  flush(): void {
    this.#appender.flushSync();
  }

  close(): void {
    this.#appender.closeSync();
  }

  #value(value: ValueOf<ColumnType> | null): void {
    if (value === null) this.#appender.appendNull();
    else if (typeof value === "string") this.#appender.appendVarchar(value.toWellFormed());
    else if (typeof value === "number") this.#appender.appendInteger(value);
    else if (typeof value === "boolean") this.#appender.appendBoolean(value);
    else this.#appender.appendBigInt(value);
  }
}

/** A place that takes the rows of a table, one after the other: a file, a table of the engine, another engine's standard input. */
export interface RowSink<Row> {
  /** Every column of the table by its name; an order of columns is the sink's own affair. */
  append(row: Row): void;
}
