/** Locates values in valid JSON text, so that a record is stored byte for byte as its source wrote it. */

import { decodeText } from "../files/decode-text.ts";

/** A range of bytes. The byte at the end is not part of it. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the range of the value at `path`; null if there is none. If a key is repeated, its last value counts, as in
 * JSON.parse.
 */
export function rangeAt(bytes: Uint8Array, path: readonly string[]): Range | null {
  let range: Range | null = rangeOfDocument(bytes);
  for (const key of path) {
    range = bytes[range.start] === OPEN_BRACE ? findMember(bytes, range.start, key) : null;
    if (range === null) return null;
  }
  return range;
}

/** Yields the ranges of the elements of the array at `path`, in order. Yields none if the value is not an array. */
export function* rangesAt(bytes: Uint8Array, path: readonly string[]): Generator<Range, void> {
  const list = rangeAt(bytes, path);
  if (list === null || bytes[list.start] !== OPEN_BRACKET) return;
  let i = skipBlank(bytes, list.start + 1);
  while (i < list.end && bytes[i] !== CLOSE_BRACKET) {
    const end = endOfValue(bytes, i);
    yield { start: i, end };
    i = skipSeparator(bytes, end);
  }
}

/** Returns the range of the value that is the whole document, without white space around it. */
function rangeOfDocument(bytes: Uint8Array): Range {
  const start = skipBlank(bytes, 0);
  let end = bytes.length;
  while (end > start && isBlank(bytes[end - 1])) end -= 1;
  return { start, end };
}

/** Returns the ranges of the members of the object at `path`, by key. Returns none if the value is not an object. */
export function rangesOfMembers(bytes: Uint8Array, path: readonly string[]): Map<unknown, Range> {
  const object = rangeAt(bytes, path);
  const found = new Map<unknown, Range>();
  if (object === null || bytes[object.start] !== OPEN_BRACE) return found;
  for (const { key, range } of members(bytes, object.start)) found.set(key, range);
  return found;
}

function findMember(bytes: Uint8Array, object: number, memberName: string): Range | null {
  let found: Range | null = null;
  for (const { key, range } of members(bytes, object)) if (key === memberName) found = range;
  return found;
}

function* members(bytes: Uint8Array, object: number): Generator<{ readonly key: unknown; readonly range: Range }> {
  let i = skipBlank(bytes, object + 1);
  while (i < bytes.length && bytes[i] !== CLOSE_BRACE) {
    const keyEnd = endOfString(bytes, i);
    const start = skipBlank(bytes, skipBlank(bytes, keyEnd + 1) + 1);
    const end = endOfValue(bytes, start);
    yield { key: keyAt(bytes, i, keyEnd), range: { start, end } };
    i = skipSeparator(bytes, end);
  }
}

function keyAt(bytes: Uint8Array, start: number, end: number): unknown {
  return JSON.parse(decodeText(bytes, start, end + 1));
}

function skipSeparator(bytes: Uint8Array, start: number): number {
  const i = skipBlank(bytes, start);
  return bytes[i] === COMMA ? skipBlank(bytes, i + 1) : i;
}

function endOfValue(bytes: Uint8Array, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return endOfString(bytes, start) + 1;
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfContainer(bytes, start);
  let i = start;
  while (i < bytes.length && !endsScalar(bytes[i])) i += 1;
  return i;
}

/**
 * Finds the end of an object or array. Counts brackets instead of recursing, so that deep nesting cannot exhaust the stack.
 */
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

/** Matches XML comments, instructions, CDATA and tags. For a tag, captures the slash, the name and the end. */
const MARKUP =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[[\s\S]*?\]\]>|<(\/?)(?:[^\s/>:"'=]*:)?([^\s/>:"'=]+)(?:"[^"]*"|'[^']*'|[^"'>])*?(\/?)>/g;

/**
 * Returns the XML texts of all elements at `path`, in order. `path` contains local names, beginning with the root element.
 */
export function xmlSlices(text: string, path: readonly string[]): string[] {
  const slices: string[] = [];
  const open: string[] = [];
  let start = 0;
  // Number of open elements that are on the path.
  let onPath = 0;
  for (const match of text.matchAll(MARKUP)) {
    const name = match[2];
    if (name === undefined) continue;
    const end = match.index + match[0].length;
    if (match[1] === "/") {
      if (onPath === path.length && open.length === path.length) slices.push(text.slice(start, end));
      open.pop();
      onPath = Math.min(onPath, open.length);
      continue;
    }
    const fits = onPath === open.length && path[onPath] === name;
    if (fits && open.length === path.length - 1) start = match.index;
    if (match[3] === "/") {
      if (fits && open.length === path.length - 1) slices.push(text.slice(start, end));
      continue;
    }
    open.push(name);
    if (fits) onPath += 1;
  }
  return slices;
}

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const COMMA = 0x2c;
export const NEWLINE = 0x0a;

interface Measure {
  /** The deepest nesting of objects and arrays. */
  readonly depth: number;
  /** Number of values, counted by brackets and commas; an empty object or array therefore counts as two. */
  readonly values: number;
  readonly closed: boolean;
}

/**
 * Measures depth and number of values by counting brackets and commas outside strings. Does not check whether the text is
 * valid JSON.
 */
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

function endOfString(bytes: Uint8Array, start: number): number {
  for (let i = start + 1; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) return i;
    if (byte === BACKSLASH) i += 1;
  }
  return -1;
}

/** True for the first byte of a JSON value: { [ " - 0-9 t f n. */
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

export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function skipBlank(bytes: Uint8Array, start: number): number {
  let i = start;
  while (i < bytes.length && isBlank(bytes[i])) i += 1;
  return i;
}

export function trimBlank(bytes: Uint8Array): Uint8Array {
  const start = skipBlank(bytes, 0);
  let end = bytes.length;
  while (end > start && isBlank(bytes[end - 1])) end -= 1;
  return bytes.subarray(start, end);
}
