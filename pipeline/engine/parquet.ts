/** Writes Parquet files row by row, one row group at a time. */

import { randomUUID } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ColumnType, ValueOf } from "../../schemas/public/record-columns.ts";
import type { Table, TableRow } from "../../schemas/public/tables.ts";
import { oneFrame } from "../files/inflate.ts";

/** Receives the rows of a table, for example to write them to a file or to fill a table of the engine. */
export interface RowSink<Row> {
  /** Takes a row. Its columns may have any order, but all must be present. */
  append(row: Row): void;
}

/** Initial capacity of a column in bytes. A column that grew for a page with many values shrinks to it afterwards. */
const MIN_BYTES = 1024;

/**
 * Length up to which the characters of a text are copied one by one. For longer texts, a call of `Buffer.write` is
 * faster.
 */
const SHORT = 32;

/** A list of bits. The first value is the lowest bit of the first byte. */
class Bits {
  #bytes: Buffer = Buffer.alloc(MIN_BYTES);
  #count = 0;

  get length(): number {
    return (this.#count + 7) >> 3;
  }

  add(set: boolean): void {
    const at = this.#count >> 3;
    if (at === this.#bytes.length) this.#bytes = enlarge(this.#bytes, 2 * at);
    if (set) this.#bytes[at] = (this.#bytes[at] ?? 0) | (1 << (this.#count & 7));
    this.#count += 1;
  }

  taken(): Buffer {
    const bits = Buffer.from(this.#bytes.subarray(0, this.length));
    this.#bytes.fill(0, 0, this.length);
    this.#count = 0;
    return bits;
  }
}

class ByteWriter {
  #bytes: Buffer = Buffer.allocUnsafe(MIN_BYTES);
  #end = 0;

  get length(): number {
    return this.#end;
  }

  /** Adds a text: its length in four bytes, then its UTF-8. Half a surrogate pair becomes a replacement character. */
  addText(value: string): void {
    this.#reserve(4 + 3 * value.length);
    const start = this.#end + 4;
    const length = value.length <= SHORT ? this.#putShort(value, start) : this.#bytes.write(value, start);
    this.#putInt(length, this.#end);
    this.#end = start + length;
  }

  addInt(value: number): void {
    this.#reserve(4);
    this.#putInt(value, this.#end);
    this.#end += 4;
  }

  addBigint(value: bigint): void {
    this.#reserve(8);
    this.#end = this.#bytes.writeBigInt64LE(value, this.#end);
  }

  taken(): Buffer {
    const values = this.#bytes.subarray(0, this.#end);
    this.#bytes = Buffer.allocUnsafe(MIN_BYTES);
    this.#end = 0;
    return values;
  }

  #putShort(value: string, start: number): number {
    const bytes = this.#bytes;
    for (let i = 0; i < value.length; i += 1) {
      const unit = value.charCodeAt(i);
      if (unit >= 0x80) return bytes.write(value, start);
      bytes[start + i] = unit;
    }
    return value.length;
  }

  #putInt(value: number, at: number): void {
    const bytes = this.#bytes;
    bytes[at] = value;
    bytes[at + 1] = value >>> 8;
    bytes[at + 2] = value >>> 16;
    bytes[at + 3] = value >>> 24;
  }

  /** Enlarges the buffer if fewer than `more` bytes are free. */
  #reserve(more: number): void {
    if (this.#end + more > this.#bytes.length) this.#bytes = enlarge(this.#bytes, 2 * (this.#end + more));
  }
}

const VALUES = { text: "string", int: "number", bigint: "bigint", bool: "boolean" } as const satisfies Record<
  WrittenType,
  string
>;

/**
 * A column of any type except decimals, which only the engine writes. One class serves all types, because JavaScript calls
 * are fastest with a single class, and these calls take most of the time for a row of a hundred columns.
 */
class ColumnWriter {
  readonly #table: string;
  readonly name: string;
  readonly type: WrittenType;
  readonly #values: (typeof VALUES)[WrittenType];
  /** One bit for each value, which is 0 if the value is null. Stays null until the first null is added. */
  #present: Bits | null = null;
  #count = 0;
  readonly #truths = new Bits();
  readonly #bytes = new ByteWriter();

  constructor(table: string, name: string, type: WrittenType) {
    this.#table = table;
    this.name = name;
    this.type = type;
    this.#values = VALUES[type];
  }

  /**
   * Adds a value to the column.
   * @throws TypeError for a value of another type, because it would damage the file
   */
  push(value: ValueOf<WrittenType> | null): void {
    if (value === null) {
      this.#count += 1;
      this.#bits().add(false);
      return;
    }
    if (typeof value !== this.#values) {
      throw new TypeError(
        `the column ${this.name} of ${this.#table} has the type ${this.type}, but a value has the type ${typeof value}; report this`,
      );
    }
    this.#count += 1;
    this.#present?.add(true);
    if (typeof value === "string") this.#bytes.addText(value);
    else if (typeof value === "number") this.#bytes.addInt(value);
    else if (typeof value === "boolean") this.#truths.add(value);
    else this.#bytes.addBigint(value);
  }

  /** Size of the values in memory, in bytes. */
  get size(): number {
    return this.#bytes.length + this.#truths.length + (this.#present?.length ?? 0);
  }

  /** Returns the collected values as a Parquet page (definition levels, then values), and clears the column. */
  page(): Buffer {
    const levels = this.#levels();
    const length = Buffer.alloc(4);
    length.writeUInt32LE(levels.length);
    this.#count = 0;
    this.#present = null;
    return Buffer.concat([length, levels, this.#truths.taken(), this.#bytes.taken()]);
  }

  /** Returns the bits that tell values from nulls. Creates them at the first null. */
  #bits(): Bits {
    if (this.#present !== null) return this.#present;
    const bits = new Bits();
    for (let i = 1; i < this.#count; i += 1) bits.add(true);
    this.#present = bits;
    return bits;
  }

  /**
   * Returns the definition levels (0 for null, 1 for a value) in Parquet's RLE / bit-packing hybrid. If the column has
   * no nulls, one run covers all values.
   */
  #levels(): Buffer {
    if (this.#present === null) return Buffer.from([...varint(this.#count << 1), 1]);
    const bits = this.#present.taken();
    return Buffer.concat([Buffer.from(varint((bits.length << 1) | 1)), bits]);
  }
}

function enlarge(bytes: Buffer, length: number): Buffer {
  const larger = Buffer.alloc(length);
  bytes.copy(larger);
  return larger;
}

/** A value of the Thrift format with the number of its type. */
interface ThriftValue {
  readonly type: 5 | 6 | 8 | 9 | 12;
  readonly bytes: readonly number[];
}

const I32 = 5;
const I64 = 6;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;

function i32(value: number): ThriftValue {
  return { type: I32, bytes: varint(zigzag(value)) };
}

function i64(value: number): ThriftValue {
  return { type: I64, bytes: varint(zigzag(value)) };
}

function text(value: string): ThriftValue {
  const bytes = Buffer.from(value, "utf8");
  return { type: BINARY, bytes: [...varint(bytes.length), ...bytes] };
}

/**
 * Encodes a list. `of` is the Thrift type of its elements. An empty list contains this type too, so it must then be
 * given.
 */
function list(elements: readonly ThriftValue[], of: ThriftValue["type"] = elements[0]?.type ?? STRUCT): ThriftValue {
  const size = elements.length < 15 ? [(elements.length << 4) | of] : [0xf0 | of, ...varint(elements.length)];
  return { type: LIST, bytes: [...size, ...elements.flatMap(({ bytes }) => bytes)] };
}

/** Encodes the fields of a struct in ascending order of their numbers. Leaves out fields that are undefined. */
function struct(fields: Readonly<Record<number, ThriftValue | undefined>>): ThriftValue {
  const bytes: number[] = [];
  let before = 0;
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const id = Number(name);
    // Gaps between field numbers in Parquet are at most 15.
    bytes.push(((id - before) << 4) | value.type, ...value.bytes);
    before = id;
  }
  return { type: STRUCT, bytes: [...bytes, 0] };
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

/** Encodes a whole number up to 2^53 with seven bits in each byte, the lowest bits first. */
export function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  return [...bytes, rest];
}

/** Number of bytes of values after which a row group is written. */
const GROUP_BYTES = 16 * 1024 * 1024;

const MAGIC = Buffer.from("PAR1");
/**
 * The fastest compression level, chosen because the files are read only once or twice. The best level would save only a
 * third more space.
 */
const COMPRESSION_LEVEL = 1;

/**
 * Writes a Parquet file under a temporary name and renames it when it is complete, so that an interrupted attempt
 * leaves no partial file. The same rows result in the same bytes.
 */
export class ParquetFile<T extends Table> implements RowSink<TableRow<T>> {
  readonly #path: string;
  readonly #attempt: string;
  readonly #file: FileHandle;
  readonly #columns: readonly ColumnWriter[];
  readonly #groups: WrittenGroup[] = [];
  #offset = 0;
  #rows = 0;

  private constructor(path: string, attempt: string, file: FileHandle, table: T) {
    this.#path = path;
    this.#attempt = attempt;
    this.#file = file;
    this.#columns = Object.entries(table.columns).map(([name, type]) => {
      if (type === "hundredths")
        throw new Error(
          `the table ${table.name} has a column of decimals, which only DuckDB or Spark can write; report this`,
        );
      return new ColumnWriter(table.name, name, type);
    });
  }

  static async create<T extends Table>(path: string, table: T): Promise<ParquetFile<T>> {
    // Engines skip hidden files in a folder of parts.
    const attempt = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
    const file = new ParquetFile(path, attempt, await open(attempt, "wx"), table);
    await file.#write(MAGIC);
    return file;
  }

  append(row: TableRow<T>): void {
    const values: Readonly<Record<string, ValueOf<WrittenType> | null>> = row;
    for (const column of this.#columns) column.push(values[column.name] ?? null);
    this.#rows += 1;
  }

  /** Writes a row group if enough values were added. Call it regularly, so that memory stays limited. */
  async drain(): Promise<void> {
    if (this.#columns.reduce((sum, { size }) => sum + size, 0) >= GROUP_BYTES) await this.#writeGroup();
  }

  async close(): Promise<void> {
    if (this.#rows > 0) await this.#writeGroup();
    const metadata = fileMetadata(
      this.#columns.map(({ name, type }) => [name, type]),
      this.#groups,
    );
    const length = Buffer.alloc(4);
    length.writeUInt32LE(metadata.length);
    await this.#write(Buffer.concat([metadata, length, MAGIC]));
    await this.#file.close();
    await rename(this.#attempt, this.#path);
  }

  async abandon(): Promise<void> {
    await this.#file.close();
    await rm(this.#attempt, { force: true });
  }

  async #writeGroup(): Promise<void> {
    const columns: WrittenColumn[] = [];
    const pieces: Buffer[] = [];
    let offset = this.#offset;
    for (const column of this.#columns) {
      const { name, type } = column;
      const page = column.page();
      const packed = oneFrame(page, COMPRESSION_LEVEL);
      const header = pageHeader(this.#rows, page.length, packed.length);
      pieces.push(header, packed);
      const compressed = header.length + packed.length;
      columns.push({ name, type, offset, compressed, uncompressed: header.length + page.length });
      offset += compressed;
    }
    await this.#write(Buffer.concat(pieces));
    this.#groups.push({ rows: this.#rows, columns });
    this.#rows = 0;
  }

  async #write(bytes: Buffer): Promise<void> {
    await this.#file.writeFile(bytes);
    this.#offset += bytes.length;
  }
}

/** The numbers of types in parquet.thrift. Text is a byte array with the converted type UTF-8. */
const PHYSICAL = { bool: 0, int: 1, bigint: 2, text: 6 } as const;
const UTF8 = i32(0);
const OPTIONAL = i32(1);
const PLAIN = i32(0);
const RLE = i32(3);
const ZSTD = i32(6);
const DATA_PAGE = i32(0);

/** Column types that this class can write. */
export type WrittenType = Extract<ColumnType, keyof typeof PHYSICAL>;

/** The position of one page of one column in the file. */
interface WrittenColumn {
  readonly name: string;
  readonly type: WrittenType;
  readonly offset: number;
  /** Sizes in bytes, compressed and uncompressed. They include the page header. */
  readonly compressed: number;
  readonly uncompressed: number;
}

interface WrittenGroup {
  readonly rows: number;
  readonly columns: readonly WrittenColumn[];
}

function pageHeader(rows: number, uncompressed: number, compressed: number): Buffer {
  const page = struct({ 1: i32(rows), 2: PLAIN, 3: RLE, 4: RLE });
  return Buffer.from(struct({ 1: DATA_PAGE, 2: i32(uncompressed), 3: i32(compressed), 5: page }).bytes);
}

function fileMetadata(columns: readonly (readonly [string, WrittenType])[], groups: readonly WrittenGroup[]): Buffer {
  const root = struct({ 4: text("table"), 5: i32(columns.length) });
  const schema = list([root, ...columns.map(schemaElement)]);
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  const metadata = struct({
    1: i32(2),
    2: schema,
    3: i64(rows),
    4: list(groups.map(rowGroup)),
    6: text("share-release"),
  });
  return Buffer.from(metadata.bytes);
}

function schemaElement([name, type]: readonly [string, WrittenType]): ThriftValue {
  const utf8 = type === "text" ? UTF8 : undefined;
  return struct({ 1: i32(PHYSICAL[type]), 3: OPTIONAL, 4: text(name), 6: utf8 });
}

function rowGroup({ rows, columns }: WrittenGroup): ThriftValue {
  const bytes = columns.reduce((sum, { uncompressed }) => sum + uncompressed, 0);
  return struct({ 1: list(columns.map((column) => columnChunk(column, rows))), 2: i64(bytes), 3: i64(rows) });
}

function columnChunk({ name, type, offset, compressed, uncompressed }: WrittenColumn, rows: number): ThriftValue {
  const metadata = struct({
    1: i32(PHYSICAL[type]),
    2: list([PLAIN, RLE]),
    3: list([text(name)]),
    4: ZSTD,
    5: i64(rows),
    6: i64(uncompressed),
    7: i64(compressed),
    9: i64(offset),
  });
  return struct({ 2: i64(offset), 3: metadata });
}
