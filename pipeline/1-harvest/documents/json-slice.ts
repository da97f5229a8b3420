/** Finds where values stand in JSON text, so that a record is kept byte for byte as its source wrote it. The text must be valid. */

import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  endOfString,
  isBlank,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipBlank,
} from "./json-measure.ts";

/** Byte range, end exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Where the value at `path` stands, or null. Of a repeated key the last counts, as for JSON.parse. */
export function rangeAt(bytes: Buffer, path: readonly string[]): Range | null {
  let range: Range | null = wholeOf(bytes);
  for (const key of path) {
    range = bytes[range.start] === OPEN_BRACE ? memberOf(bytes, range.start, key) : null;
    if (range === null) return null;
  }
  return range;
}

/** Where the elements of the array at `path` stand, in order, one at a time; none where there is no array. */
export function* rangesAt(bytes: Buffer, path: readonly string[]): Generator<Range, void> {
  const list = rangeAt(bytes, path);
  if (list === null || bytes[list.start] !== OPEN_BRACKET) return;
  let i = skipBlank(bytes, list.start + 1);
  while (i < list.end && bytes[i] !== CLOSE_BRACKET) {
    const end = endOfValue(bytes, i);
    yield { start: i, end };
    i = skipSeparator(bytes, end);
  }
}

/** A document is one value with white space around it: no need to walk through it. */
function wholeOf(bytes: Buffer): Range {
  const start = skipBlank(bytes, 0);
  let end = bytes.length;
  while (end > start && isBlank(bytes[end - 1])) end -= 1;
  return { start, end };
}

/** Where the members of the object at `path` stand, by key; none where there is no object. */
export function rangesOfMembers(bytes: Buffer, path: readonly string[]): Map<unknown, Range> {
  const object = rangeAt(bytes, path);
  const found = new Map<unknown, Range>();
  if (object === null || bytes[object.start] !== OPEN_BRACE) return found;
  for (const { key, range } of members(bytes, object.start)) found.set(key, range);
  return found;
}

function memberOf(bytes: Buffer, object: number, wanted: string): Range | null {
  let found: Range | null = null;
  for (const { key, range } of members(bytes, object)) if (key === wanted) found = range;
  return found;
}

function* members(bytes: Buffer, object: number): Generator<{ readonly key: unknown; readonly range: Range }> {
  let i = skipBlank(bytes, object + 1);
  while (i < bytes.length && bytes[i] !== CLOSE_BRACE) {
    const keyEnd = endOfString(bytes, i);
    const start = skipBlank(bytes, skipBlank(bytes, keyEnd + 1) + 1);
    const end = endOfValue(bytes, start);
    yield { key: keyAt(bytes, i, keyEnd), range: { start, end } };
    i = skipSeparator(bytes, end);
  }
}

/** Keys may be written with escapes; parsing the literal is right for all of them. */
function keyAt(bytes: Buffer, start: number, end: number): unknown {
  return JSON.parse(bytes.toString("utf8", start, end + 1));
}

function skipSeparator(bytes: Uint8Array, start: number): number {
  const i = skipBlank(bytes, start);
  return bytes[i] === COMMA ? skipBlank(bytes, i + 1) : i;
}

/** Index just behind the value that begins at `start`. */
function endOfValue(bytes: Uint8Array, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return endOfString(bytes, start) + 1;
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfContainer(bytes, start);
  let i = start;
  while (i < bytes.length && !endsScalar(bytes[i])) i += 1;
  return i;
}

/** Counts instead of recursing: the depth of the text cannot exhaust the stack. */
function endOfContainer(bytes: Uint8Array, start: number): number {
  let depth = 0;
  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) i = endOfString(bytes, i);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return bytes.length;
}

function endsScalar(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isBlank(byte);
}
