/**
 * Encodes rows of a list as an Arrow IPC stream: the schema, the record batches and the end marker. Each batch is sent
 * as soon as it is encoded, so only one is in memory.
 */

import {
  AsyncByteQueue,
  Bool,
  type Data,
  type DataType,
  Dictionary,
  Field,
  Float64,
  Int8,
  Int32,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  type TypeMap,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { type ArrowColumn, arrowColumns } from "../../schemas/public/api/arrow-columns.ts";
import type { RequestedFields, RowEncoder, StreamContent } from "./list-response.ts";

export class ArrowEncoder implements RowEncoder {
  readonly contentType: string;
  readonly #columns: readonly EncodedColumn[];
  readonly #schema: Schema;
  readonly #written = new WrittenBytes();
  readonly #writer = new RecordBatchStreamWriter<TypeMap>({ autoDestroy: false });

  constructor({ answer: schema, fields, about }: StreamContent, contentType: string) {
    this.contentType = contentType;
    this.#columns = arrowFields(selectedColumns(arrowColumns(schema), fields));
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

/** A queue whose written bytes can be read at once. The library's own queue can only be read asynchronously. */
class WrittenBytes extends AsyncByteQueue<Uint8Array> {
  #pieces: Uint8Array[] = [];

  override write(piece: Uint8Array): void {
    this.#pieces.push(piece);
  }

  take(): Uint8Array {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    return bytes;
  }
}

/** Returns the requested columns. If only some members of a struct are requested, the struct has only these members. */
function selectedColumns(columns: readonly ArrowColumn[], fields: RequestedFields | null): readonly ArrowColumn[] {
  if (fields === null) return columns;
  return columns.flatMap((column) => {
    if (fields.has(column.path)) return [column];
    if (column.of.kind !== "struct") return [];
    const members = selectedColumns(column.of.members, fields);
    return members.length === 0 ? [] : [{ ...column, of: { ...column.of, members } }];
  });
}

/** An Arrow column and the function that reads its values from rows. */
export interface EncodedColumn {
  readonly field: Field;
  /**
   * Returns the Arrow data of the column for these rows. A row is null if the struct that contains the column is
   * missing.
   */
  of(rows: readonly (object | null)[]): Data;
}

/** An Arrow type, and the function that encodes values as data of this type. */
interface ColumnEncoder {
  readonly type: DataType;
  of(values: readonly unknown[]): Data;
}

/** Converts all columns of a schema to Arrow. Dictionaries are numbered from 0, so that equal rows give equal bytes. */
export function arrowFields(columns: readonly ArrowColumn[]): EncodedColumn[] {
  let dictionaries = 0;
  return columns.map((column) => arrowField(column, () => dictionaries++));
}

function arrowField(column: ArrowColumn, number: () => number): EncodedColumn {
  const { name, nullable, meaning } = column;
  const kind = makeKind(column, number);
  return {
    field: new Field(name, kind.type, nullable, meaning === "" ? undefined : new Map([["description", meaning]])),
    of: (rows) => kind.of(rows.map((row) => (row === null ? null : getMember(row, name)))),
  };
}

function getMember(row: object, name: string): unknown {
  const member: unknown = Reflect.get(row, name);
  return member ?? null;
}

function makeKind({ of: kind, path }: ArrowColumn, number: () => number): ColumnEncoder {
  switch (kind.kind) {
    case "int32":
      return int32s(path);
    case "float64":
      return numbers();
    case "bool":
      return { type: new Bool(), of: (values) => onlyData(vectorFromArray(values, new Bool())) };
    case "utf8":
      return { type: new Utf8(), of: (values) => onlyData(vectorFromArray(values, new Utf8())) };
    case "words":
      return makeDictionary(kind.words, number(), path);
    case "struct":
      return makeStruct(kind.members.map((member) => arrowField(member, number)));
    default:
      return kind satisfies never;
  }
}

/**
 * Returns the encoder of a column with few distinct words. All batches share its dictionary, which is sent only once.
 */
function makeDictionary(words: readonly string[], id: number, path: string): ColumnEncoder {
  const dictionary = vectorFromArray(words, new Utf8());
  const type = new Dictionary(dictionary.type, new Int8(), id);
  const numberByWord = new Map<unknown, number>(words.map((word, i) => [word, i]));
  const at = (word: unknown) => {
    const number = word === null ? 0 : numberByWord.get(word);
    if (number === undefined)
      throw new Error(
        `the column ${path} of an Arrow stream has the value ${String(word)}, which is not one of ${words.join(", ")}`,
      );
    return number;
  };
  return {
    type,
    of: (values) => makeData({ type, dictionary, data: Int8Array.from(values, at), ...measureSize(values) }),
  };
}

function makeStruct(members: readonly EncodedColumn[]): ColumnEncoder {
  const type = new Struct<TypeMap>(members.map(({ field }) => field));
  return {
    type,
    of: (values) => {
      const rows = values.map((value) => (typeof value === "object" ? value : null));
      return makeData({ type, children: members.map((member) => member.of(rows)), ...measureSize(values) });
    },
  };
}

function int32s(path: string): ColumnEncoder {
  const type = new Int32();
  const toInt32 = int32At(path);
  return { type, of: (values) => makeData({ type, data: Int32Array.from(values, toInt32), ...measureSize(values) }) };
}

function numbers(): ColumnEncoder {
  const type = new Float64();
  return { type, of: (values) => makeData({ type, data: Float64Array.from(values, Number), ...measureSize(values) }) };
}

/** Checks that a number fits into 32 bits, because Arrow would truncate it silently. */
function int32At(path: string): (value: unknown) => number {
  return (value) => {
    const integer = Number(value);
    if (integer !== Math.trunc(integer) || Math.abs(integer) >= 2 ** 31)
      throw new Error(`the column ${path} of an Arrow stream has the value ${integer}, which is not a 32-bit integer`);
    return integer;
  };
}

interface Size {
  readonly length: number;
  readonly nullCount: number;
  readonly nullBitmap: Uint8Array | null;
}

/**
 * Returns the number of values, the number of nulls, and Arrow's validity bitmap, which has one bit for each value: 0
 * if the value is null. The bitmap is null if no value is null.
 */
function measureSize(values: readonly unknown[]): Size {
  const { length } = values;
  const nullCount = values.reduce<number>((count, value) => count + (value === null ? 1 : 0), 0);
  if (nullCount === 0) return { length, nullCount, nullBitmap: null };
  const nullBitmap = new Uint8Array(Math.ceil(length / 8));
  values.forEach((value, i) => {
    if (value !== null) nullBitmap[i >> 3] = (nullBitmap[i >> 3] ?? 0) | (1 << (i & 7));
  });
  return { length, nullCount, nullBitmap };
}

function onlyData({ data: [first] }: { readonly data: readonly Data[] }): Data {
  if (first === undefined) throw new Error("the Arrow library returned no data for a column of a stream; report this");
  return first;
}
