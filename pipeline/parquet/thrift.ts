/** Thrift's compact protocol, as far as Parquet's metadata need it (thrift-compact-protocol.md of Apache Thrift). */

/** A value and the number of its type in field headers. */
export interface ThriftValue {
  readonly type: 5 | 6 | 8 | 9 | 12;
  readonly bytes: readonly number[];
}

const I32 = 5;
const I64 = 6;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;

export function i32(value: number): ThriftValue {
  return { type: I32, bytes: varint(zigzag(value)) };
}

export function i64(value: number): ThriftValue {
  return { type: I64, bytes: varint(zigzag(value)) };
}

export function text(value: string): ThriftValue {
  const bytes = Buffer.from(value, "utf8");
  return { type: BINARY, bytes: [...varint(bytes.length), ...bytes] };
}

/** Elements are all of one type; `of` says which where there may be none. */
export function list(
  elements: readonly ThriftValue[],
  of: ThriftValue["type"] = elements[0]?.type ?? STRUCT,
): ThriftValue {
  const size = elements.length < 15 ? [(elements.length << 4) | of] : [0xf0 | of, ...varint(elements.length)];
  return { type: LIST, bytes: [...size, ...elements.flatMap(({ bytes }) => bytes)] };
}

/** Fields by their numbers, in rising order; those that are undefined are left out. */
export function struct(fields: Readonly<Record<number, ThriftValue | undefined>>): ThriftValue {
  const bytes: number[] = [];
  let before = 0;
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const id = Number(name);
    // No struct of Parquet has a gap of more than 15 field numbers.
    bytes.push(((id - before) << 4) | value.type, ...value.bytes);
    before = id;
  }
  return { type: STRUCT, bytes: [...bytes, 0] };
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

/** Seven bits a byte, the lowest first; whole numbers up to 2^53. */
export function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  return [...bytes, rest];
}
