/** Values of one column on their way into a page: plain encoding, as they come. */

import type { ValueOf } from "../../schemas/public/column-type.ts";
import type { WrittenType } from "./metadata.ts";
import { varint } from "./thrift.ts";

/** Bytes a column begins with, and goes back to after a page that needed more. */
const LEAST_BYTES = 1024;

/** Texts up to this length are copied letter by letter, which is quicker than a call. */
const SHORT = 32;

/** A bit a value, the lowest of a byte first. */
class Bits {
  #bytes: Buffer = Buffer.alloc(LEAST_BYTES);
  #count = 0;

  get length(): number {
    return (this.#count + 7) >> 3;
  }

  add(set: boolean): void {
    const at = this.#count >> 3;
    if (at === this.#bytes.length) this.#bytes = grown(this.#bytes, 2 * at);
    if (set) this.#bytes[at] = (this.#bytes[at] ?? 0) | (1 << (this.#count & 7));
    this.#count += 1;
  }

  /** The bits so far; none are left. */
  taken(): Buffer {
    const bits = Buffer.from(this.#bytes.subarray(0, this.length));
    this.#bytes.fill(0, 0, this.length);
    this.#count = 0;
    return bits;
  }
}

/** Values of whole bytes, one behind the other. */
class Bytes {
  #bytes: Buffer = Buffer.allocUnsafe(LEAST_BYTES);
  #end = 0;

  get length(): number {
    return this.#end;
  }

  /** Length in four bytes, then UTF-8. What is no well-formed text becomes it: half a pair is a replacement character. */
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

  /** The bytes so far; none are left. */
  taken(): Buffer {
    const values = this.#bytes.subarray(0, this.#end);
    this.#bytes = Buffer.allocUnsafe(LEAST_BYTES);
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

  /** Makes room for `more` bytes behind the end. */
  #reserve(more: number): void {
    if (this.#end + more > this.#bytes.length) this.#bytes = grown(this.#bytes, 2 * (this.#end + more));
  }
}

const VALUES = { text: "string", int: "number", bigint: "bigint", bool: "boolean" } as const satisfies Record<
  WrittenType,
  string
>;

/**
 * A column of any type but decimals, which only the engine makes. One class for all of them: a row meets a hundred, and
 * calls that lead to one of several places are what handing it over would take longest.
 */
export class Column {
  readonly #table: string;
  readonly name: string;
  readonly type: WrittenType;
  readonly #values: (typeof VALUES)[WrittenType];
  /** Whether there is a value: null while all of them are there. */
  #present: Bits | null = null;
  #count = 0;
  readonly #truths = new Bits();
  readonly #bytes = new Bytes();

  constructor(table: string, name: string, type: WrittenType) {
    this.#table = table;
    this.name = name;
    this.type = type;
    this.#values = VALUES[type];
  }

  /** @throws TypeError for a value that is not of the column's type: a page with one would have all behind it read wrongly */
  push(value: ValueOf<WrittenType> | null): void {
    if (value === null) {
      this.#count += 1;
      this.#bits().add(false);
      return;
    }
    if (typeof value !== this.#values) {
      throw new TypeError(
        `the column ${this.name} of ${this.#table} holds ${this.type}, and was given a ${typeof value}`,
      );
    }
    this.#count += 1;
    this.#present?.add(true);
    if (typeof value === "string") this.#bytes.addText(value);
    else if (typeof value === "number") this.#bytes.addInt(value);
    else if (typeof value === "boolean") this.#truths.add(value);
    else this.#bytes.addBigint(value);
  }

  /** Bytes held. */
  get size(): number {
    return this.#bytes.length + this.#truths.length + (this.#present?.length ?? 0);
  }

  /** The page of what was pushed since the last: definition levels, then values. The column is empty afterwards. */
  page(): Buffer {
    const levels = this.#levels();
    const length = Buffer.alloc(4);
    length.writeUInt32LE(levels.length);
    this.#count = 0;
    this.#present = null;
    return Buffer.concat([length, levels, this.#truths.taken(), this.#bytes.taken()]);
  }

  /** From the first null on. */
  #bits(): Bits {
    if (this.#present !== null) return this.#present;
    const bits = new Bits();
    for (let i = 1; i < this.#count; i += 1) bits.add(true);
    this.#present = bits;
    return bits;
  }

  /** Runs of Parquet's RLE / bit-packing hybrid, one bit wide: one run where all are there, else all bits. */
  #levels(): Buffer {
    if (this.#present === null) return Buffer.from([...varint(this.#count << 1), 1]);
    const bits = this.#present.taken();
    return Buffer.concat([Buffer.from(varint((bits.length << 1) | 1)), bits]);
  }
}

function grown(bytes: Buffer, length: number): Buffer {
  const larger = Buffer.alloc(length);
  bytes.copy(larger);
  return larger;
}
