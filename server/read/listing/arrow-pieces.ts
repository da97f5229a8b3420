/**
 * Rows of a list as a stream of Arrow's record batches: the schema, a batch for each of ours, and the end. The library's
 * writer takes what it is given at once; nothing of a batch is kept when its piece is made.
 */

import {
  AsyncByteQueue,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  type TypeMap,
} from "apache-arrow";
import { type ArrowColumn, arrowColumns } from "../../../schemas/public/api/arrow-columns.ts";
import { arrowFields, type MadeColumn } from "./arrow-values.ts";
import type { Fields } from "./fields.ts";
import type { RowPieces, Streamed } from "./row-pieces.ts";

export class ArrowPieces implements RowPieces {
  readonly contentType: string;
  readonly #columns: readonly MadeColumn[];
  readonly #schema: Schema;
  readonly #written = new Written();
  readonly #writer = new RecordBatchStreamWriter<TypeMap>({ autoDestroy: false });

  constructor({ answer, fields, about }: Streamed, contentType: string) {
    this.contentType = contentType;
    this.#columns = arrowFields(chosen(arrowColumns(answer), fields));
    this.#schema = new Schema(
      this.#columns.map(({ field }) => field),
      new Map(about),
    );
  }

  head(): Uint8Array {
    this.#writer.reset(this.#written, this.#schema);
    return this.#written.take();
  }

  batch(rows: readonly object[]): Uint8Array {
    if (rows.length === 0) return new Uint8Array();
    const children = this.#columns.map(({ of }) => of(rows));
    const type = new Struct<TypeMap>(this.#schema.fields);
    const data = makeData({ type, length: rows.length, nullCount: 0, children });
    this.#writer.write(new RecordBatch(this.#schema, data));
    return this.#written.take();
  }

  tail(): Uint8Array {
    this.#writer.finish();
    return this.#written.take();
  }
}

/** The bytes that the writer wrote since they were last taken: its own queue has to be waited for. */
class Written extends AsyncByteQueue<Uint8Array> {
  #pieces: Uint8Array[] = [];

  override write(piece: Uint8Array): void {
    this.#pieces.push(piece);
  }

  take(): Uint8Array {
    const taken = Buffer.concat(this.#pieces);
    this.#pieces = [];
    return taken;
  }
}

/** The columns that are asked for, and those that have some of them. */
function chosen(columns: readonly ArrowColumn[], fields: Fields | null): readonly ArrowColumn[] {
  if (fields === null) return columns;
  return columns.flatMap((column) => {
    if (fields.has(column.path)) return [column];
    if (column.of.kind !== "struct") return [];
    const members = chosen(column.of.members, fields);
    return members.length === 0 ? [] : [{ ...column, of: { ...column.of, members } }];
  });
}
