/**
 * Sets of rows of a list. The rows that meet a condition of a query are looked up once and cached as a set, so that a
 * query with several conditions only intersects sets. A set has one bit for each row of the list, in the order of
 * DuckDB's type BIT. If it has few rows, it lists their positions instead.
 */

import { type Bits, toBits } from "../../pipeline/engine/open.ts";

const WORD = 32;

/**
 * Number of unused bytes at the start of a buffer. A set in DuckDB's form begins with one byte, so its 32-bit words
 * then begin at byte 4, a multiple of their size.
 */
const BEFORE = 3;

/**
 * A set lists positions if it has at most 1 of this number of rows, because the list then takes no more bytes than
 * bits.
 */
const FEW = 32;

export class RowSet {
  /** Number of rows in the set. */
  readonly count: number;
  /** Number of bits: the number of rows of the list, rounded up to whole 32-bit words. */
  readonly #size: number;
  readonly #listed: Int32Array | null;
  readonly #bits: Uint8Array | null;

  private constructor(size: number, listed: Int32Array | null, bits: Uint8Array | null, count: number) {
    this.#size = size;
    this.#listed = listed;
    this.#bits = bits;
    this.count = count;
  }

  /** Returns the number of bits of the sets of a list with this number of rows. */
  static sizeFor(rows: number): number {
    return Math.max(1, Math.ceil(rows / WORD)) * WORD;
  }

  /** Reads a set from the bytes of DuckDB's type BIT. Null means that the set has no rows. */
  static fromBits(bits: Uint8Array | null, size: number): RowSet {
    if (bits === null) return new RowSet(size, new Int32Array(0), null, 0);
    const own = align(size);
    own.set(bits);
    return RowSet.#compact(own, size);
  }

  static #compact(bits: Uint8Array, size: number): RowSet {
    const count = countBits(viewWords(bits));
    return count * FEW > size ? new RowSet(size, null, bits, count) : new RowSet(size, list(bits, count), null, count);
  }

  /** Returns the rows that are in every set. There is at least one set, and all are of the same list. */
  static intersect(sets: readonly RowSet[]): RowSet {
    const [smallest, ...others] = sets.toSorted((one, other) => one.count - other.count);
    if (smallest === undefined) throw new Error("an intersection of rows needs at least one set; report this");
    if (others.length === 0) return smallest;
    const size = smallest.#size;
    if (smallest.#listed !== null) {
      const listed = smallest.#listed.filter((position) => others.every((other) => other.has(position)));
      return new RowSet(size, listed, null, listed.length);
    }
    const bits = align(size);
    bits.set(smallest.#bits ?? []);
    const words = viewWords(bits);
    // Each other set has more rows, so it has bits too.
    for (const { bits: other } of others) {
      const otherWords = viewWords(other);
      for (let i = 0; i < words.length; i += 1) words[i] = (words[i] ?? 0) & (otherWords[i] ?? 0);
    }
    return RowSet.#compact(bits, size);
  }

  has(position: number): boolean {
    if (this.#listed !== null) return contains(this.#listed, position);
    return (((this.#bits?.[1 + (position >> 3)] ?? 0) << (position & 7)) & 0x80) !== 0;
  }

  /** Returns the positions in ascending order. */
  positions(): readonly number[] {
    return [...(this.#listed ?? list(this.bits, this.count))];
  }

  private get bits(): Uint8Array {
    if (this.#bits !== null) return this.#bits;
    const bits = align(this.#size);
    for (const position of this.#listed ?? []) {
      const byte = 1 + (position >> 3);
      bits[byte] = (bits[byte] ?? 0) | (0x80 >> (position & 7));
    }
    return bits;
  }

  /** Returns the set as a parameter of a statement. */
  toParameter(): Bits {
    return toBits(this.bits);
  }

  /** The memory of the set, in bytes. */
  get bytes(): number {
    return (this.#listed ?? this.#bits)?.byteLength ?? 0;
  }
}

/**
 * Returns an empty set of bits in DuckDB's form: first a byte with the number of unused bits, which is 0, then whole
 * words.
 */
function align(size: number): Uint8Array {
  return new Uint8Array(new ArrayBuffer(BEFORE + 1 + size / 8), BEFORE);
}

function viewWords({ buffer, byteOffset }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset + 1);
}

function countBits(words: Uint32Array): number {
  let count = 0;
  for (let word of words) {
    // Counts in pairs of bits, then in fours, then in bytes, which the multiplication adds.
    word -= (word >>> 1) & 0x5555_5555;
    word = (word & 0x3333_3333) + ((word >>> 2) & 0x3333_3333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
  }
  return count;
}

function list(bits: Uint8Array, count: number): Int32Array {
  const listed = new Int32Array(count);
  let next = 0;
  for (let byte = 1; next < count; byte += 1) {
    for (let rest = bits[byte] ?? 0, bit = 0; rest !== 0; rest = (rest << 1) & 0xff, bit += 1) {
      if ((rest & 0x80) !== 0) listed[next++] = (byte - 1) * 8 + bit;
    }
  }
  return listed;
}

/** Whether a sorted list contains a position. */
function contains(sorted: Int32Array, position: number): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === position;
}
