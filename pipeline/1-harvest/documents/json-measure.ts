/** Measures JSON text in one pass over its bytes, before a parser is trusted with it: how deep, and how many values. */

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const COMMA = 0x2c;

export interface Measure {
  /** How many objects and arrays are open at once, at most. */
  readonly depth: number;
  /** How many values there are; an empty object or array counts as two. */
  readonly values: number;
  /** Whether every string, object and array that begins also ends. */
  readonly closed: boolean;
}

/** Counts brackets and commas outside strings; says nothing of whether the text is valid otherwise. */
export function measureJson(bytes: Uint8Array): Measure {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      i = endOfString(bytes, i);
      if (i < 0) return { depth: deepest, values, closed: false };
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      values += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    else if (byte === COMMA) values += 1;
  }
  return { depth: deepest, values, closed: depth === 0 };
}

/** Index of the quote that ends the string beginning at `start`, or -1. */
export function endOfString(bytes: Uint8Array, start: number): number {
  for (let i = start + 1; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) return i;
    if (byte === BACKSLASH) i += 1;
  }
  return -1;
}

/** True of the bytes a JSON value can begin with: { [ " - 0-9 t f n. */
export function beginsValue(byte: number | undefined): boolean {
  return (
    byte === OPEN_BRACE ||
    byte === OPEN_BRACKET ||
    byte === QUOTE ||
    byte === 0x2d ||
    (byte !== undefined && byte >= 0x30 && byte <= 0x39) ||
    byte === 0x74 ||
    byte === 0x66 ||
    byte === 0x6e
  );
}

/** JSON's four white space bytes. */
export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Index of the first byte from `start` on that is no white space; the length where there is none. */
export function skipBlank(bytes: Uint8Array, start: number): number {
  let i = start;
  while (i < bytes.length && isBlank(bytes[i])) i += 1;
  return i;
}

/** The bytes without the white space around them. */
export function trimBlank(bytes: Buffer): Buffer {
  const start = skipBlank(bytes, 0);
  let end = bytes.length;
  while (end > start && isBlank(bytes[end - 1])) end -= 1;
  return bytes.subarray(start, end);
}
