/** Values of one column on their way into a page: plain encoding, as they come. */

import type { ColumnType, ValueOf } from "../../schemas/public/column-type.ts";
import { varint } from "./thrift.ts";

/** Bytes a column begins with, and goes back to after a page that needed more. */
const LEAST_BYTES = 16 * 1024;

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

export abstract class Column<Type extends ColumnType> {
  /** Whether there is a value: null while all of them are there. */
  #present: Bits | null = null;
  #count = 0;

  push(value: ValueOf<Type> | null): void {
    if (value === null) this.#bits().add(false);
    else {
      this.#present?.add(true);
      this.put(value);
    }
    this.#count += 1;
  }

  /** Bytes held. */
  get size(): number {
    return this.valueBytes + (this.#present?.length ?? 0);
  }

  /** The page of what was pushed since the last: definition levels, then values. The column is empty afterwards. */
  page(): Buffer {
    const levels = this.#levels();
    const length = Buffer.alloc(4);
    length.writeUInt32LE(levels.length);
    this.#count = 0;
    this.#present = null;
    return Buffer.concat([length, levels, this.taken()]);
  }

  protected abstract get valueBytes(): number;
  protected abstract put(value: ValueOf<Type>): void;
  /** The values as bytes; none are left. */
  protected abstract taken(): Buffer;

  /** From the first null on. */
  #bits(): Bits {
    if (this.#present !== null) return this.#present;
    const bits = new Bits();
    for (let i = 0; i < this.#count; i += 1) bits.add(true);
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

/** Values of whole bytes, one behind the other. */
abstract class ByteColumn<Type extends ColumnType> extends Column<Type> {
  protected bytes: Buffer = Buffer.allocUnsafe(LEAST_BYTES);
  protected end = 0;

  protected get valueBytes(): number {
    return this.end;
  }

  protected taken(): Buffer {
    const values = this.bytes.subarray(0, this.end);
    this.bytes = Buffer.allocUnsafe(LEAST_BYTES);
    this.end = 0;
    return values;
  }

  /** Makes room for `more` bytes behind the end. */
  protected reserve(more: number): void {
    if (this.end + more > this.bytes.length) this.bytes = grown(this.bytes, 2 * (this.end + more));
  }
}

/** Length in four bytes, then UTF-8. What is no well-formed text becomes it: half a pair is a replacement character. */
export class TextColumn extends ByteColumn<"text"> {
  protected put(value: string): void {
    this.reserve(4 + 3 * value.length);
    const length = value.length <= SHORT ? this.#putShort(value) : this.bytes.write(value, this.end + 4);
    const { bytes, end } = this;
    bytes[end] = length;
    bytes[end + 1] = length >>> 8;
    bytes[end + 2] = length >>> 16;
    bytes[end + 3] = length >>> 24;
    this.end = end + 4 + length;
  }

  #putShort(value: string): number {
    const { bytes } = this;
    const start = this.end + 4;
    for (let i = 0; i < value.length; i += 1) {
      const unit = value.charCodeAt(i);
      if (unit >= 0x80) return bytes.write(value, start);
      bytes[start + i] = unit;
    }
    return value.length;
  }
}

export class IntColumn extends ByteColumn<"int"> {
  protected put(value: number): void {
    this.reserve(4);
    const { bytes, end } = this;
    bytes[end] = value;
    bytes[end + 1] = value >>> 8;
    bytes[end + 2] = value >>> 16;
    bytes[end + 3] = value >>> 24;
    this.end = end + 4;
  }
}

export class BigintColumn extends ByteColumn<"bigint"> {
  protected put(value: bigint): void {
    this.reserve(8);
    this.end = this.bytes.writeBigInt64LE(value, this.end);
  }
}

export class BoolColumn extends Column<"bool"> {
  readonly #bits = new Bits();

  protected get valueBytes(): number {
    return this.#bits.length;
  }

  protected put(value: boolean): void {
    this.#bits.add(value);
  }

  protected taken(): Buffer {
    return this.#bits.taken();
  }
}

function grown(bytes: Buffer, length: number): Buffer {
  const larger = Buffer.alloc(length);
  bytes.copy(larger);
  return larger;
}
