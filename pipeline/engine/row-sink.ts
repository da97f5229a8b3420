/** A place that takes the rows of a table, one after the other: a file, a table of the engine, another engine's standard input. */

export interface RowSink<Row> {
  /** Every column of the table by its name; an order of columns is the sink's own affair. */
  append(row: Row): void;
}
