/** Columns of UUIDs as their bytes: DuckDB's memory is read as it lies, because a value a cell costs more than sorting the rows. */

import type { DuckDBDataChunk } from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";

/** Bytes of a UUID. */
const UUID = 16;
const WORDS = UUID / 4;

/** The rows of a chunk whose columns are all UUIDs that are never null: row after row, 16 bytes a column. */
export function uuidBytes({ chunk, columnCount, rowCount }: DuckDBDataChunk): Buffer {
  const words = new Uint32Array(WORDS * columnCount * rowCount);
  for (let column = 0; column < columnCount; column += 1) {
    const bytes = duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk, column), UUID * rowCount);
    const cells = new Uint32Array(bytes.buffer, bytes.byteOffset, WORDS * rowCount);
    // A cell is a whole number of 128 bits, lowest word first, its highest bit turned over so that numbers sort as texts do.
    for (let row = 0; row < rowCount; row += 1) {
      const to = WORDS * (row * columnCount + column);
      const from = WORDS * row;
      words[to] = (cells[from + 3] ?? 0) ^ 0x8000_0000;
      words[to + 1] = cells[from + 2] ?? 0;
      words[to + 2] = cells[from + 1] ?? 0;
      words[to + 3] = cells[from] ?? 0;
    }
  }
  return Buffer.from(words.buffer).swap32();
}
