/** Finds the position at which a text stops being valid JSON (RFC 8259). Reads the text once. */

import { decodeText } from "../files/decode-text.ts";
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  isBlank,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipBlank,
} from "./json-text.ts";

export interface JsonPlace {
  /** Line and column from 1; columns are UTF-16 code units. */
  readonly line: number;
  readonly column: number;
}

export interface JsonFault extends JsonPlace {
  /** The fault as a phrase, such as "a value is missing". */
  readonly problem: string;
  /** True if the text ends before its JSON value is complete. */
  readonly isCut: boolean;
}

export function jsonFaultIn(bytes: Uint8Array): JsonFault | null {
  const fault = firstFault(bytes);
  if (fault === null) return null;
  const { at, problem, isCut = false } = fault;
  return { ...placeAt(bytes, at), problem, isCut };
}

export function placeAt(bytes: Uint8Array, offset: number): JsonPlace {
  let line = 1;
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0 && end < offset; end = bytes.indexOf(NEWLINE, start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: decodeText(bytes, start, offset).length + 1 };
}

const BACKSLASH = 0x5c;
const COLON = 0x3a;
const WORDS = ["true", "false", "null"];
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const ESCAPES = '"\\/bfnrtu';

interface SyntaxFault {
  readonly at: number;
  readonly problem: string;
  readonly isCut?: true;
}

/**
 * The token that must come next. After an opening bracket, it is a "first value" or "first name": the closing bracket
 * is then allowed too.
 */
type Due = "value" | "first value" | "name" | "first name" | "colon" | "comma";

/**
 * Finds the first syntax error. Keeps open brackets in a list instead of recursing, so that deep nesting cannot exhaust
 * the stack.
 */
function firstFault(bytes: Uint8Array): SyntaxFault | null {
  const open: number[] = [];
  let due: Due = "value";
  let i = skipBlank(bytes, 0);
  for (; i < bytes.length; i = skipBlank(bytes, i)) {
    const byte = bytes[i];
    const container = open.at(-1);
    const end = container === undefined ? undefined : bytes[container] === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET;
    if (due === "comma" && container === undefined)
      return { at: i, problem: "more text follows the end of the JSON value, where nothing may follow" };
    if (byte === end && due !== "colon" && due !== "value" && due !== "name") {
      open.pop();
      due = "comma";
      i += 1;
    } else if (due === "comma" || due === "colon") {
      if (byte !== (due === "comma" ? COMMA : COLON)) return { at: i, problem: `a ${due} is missing` };
      due = due === "comma" && end === CLOSE_BRACE ? "name" : "value";
      i += 1;
    } else if (byte === end) {
      const isEmpty = due === "value" && end === CLOSE_BRACE;
      return { at: i, problem: isEmpty ? "a value is missing" : "nothing follows a comma; remove the comma" };
    } else if (due === "name" || due === "first name") {
      if (byte !== QUOTE) return { at: i, problem: "the name of a field in double quotes is missing" };
      const text = endOfText(bytes, i);
      if (typeof text !== "number") return text;
      i = text;
      due = "colon";
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      open.push(i);
      due = byte === OPEN_BRACE ? "first name" : "first value";
      i += 1;
    } else {
      const scalar = byte === QUOTE ? endOfText(bytes, i) : endOfScalar(bytes, i);
      if (typeof scalar !== "number") return scalar;
      i = scalar;
      due = "comma";
    }
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) {
    const { line, column } = placeAt(bytes, unclosed);
    const bracket = String.fromCharCode(bytes[unclosed] ?? 0);
    const problem = `the document ends before the ${bracket} of line ${line}, column ${column} is closed`;
    return { at: i, problem, isCut: true };
  }
  return due === "comma" ? null : { at: i, problem: "a value is missing", isCut: true };
}

/**
 * Finds the first name that occurs twice in one object of valid JSON. Such a record is ambiguous, because some readers use
 * the first value and others the last.
 */
export function repeatedNameIn(bytes: Uint8Array): (JsonPlace & { readonly name: string }) | null {
  const open: Set<string>[] = [];
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) open.push(new Set());
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) open.pop();
    if (byte !== QUOTE) continue;
    const end = endOfText(bytes, i);
    if (typeof end !== "number") return null;
    if (bytes[skipBlank(bytes, end)] === COLON) {
      const name = String(JSON.parse(decodeText(bytes, i, end)));
      const names = open.at(-1);
      if (names?.has(name)) return { name, ...placeAt(bytes, i) };
      names?.add(name);
    }
    i = end - 1;
  }
  return null;
}

function endOfText(bytes: Uint8Array, start: number): number | SyntaxFault {
  for (let i = start + 1; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === QUOTE) return i + 1;
    if (byte < 0x20)
      return { at: i, problem: "a text in quotes has a line break or control character; write an escape such as \\n" };
    if (byte !== BACKSLASH) continue;
    i += 1;
    const letter = bytes[i];
    const isHex = letter !== 0x75 || /^[0-9a-f]{4}$/i.test(String.fromCharCode(...bytes.subarray(i + 1, i + 5)));
    if (letter === undefined || !ESCAPES.includes(String.fromCharCode(letter)) || !isHex)
      return {
        at: i - 1,
        problem: "the character after a backslash is not a valid escape; write \\\\ for a backslash",
      };
  }
  return { at: start, problem: "a text in quotes does not end", isCut: true };
}

function endOfScalar(bytes: Uint8Array, start: number): number | SyntaxFault {
  let i = start;
  while (i < bytes.length && !endsScalar(bytes[i])) i += 1;
  const scalar = decodeText(bytes, start, i);
  if (WORDS.includes(scalar) || NUMBER.test(scalar)) return i;
  if (i === bytes.length)
    return { at: start, problem: "the document ends within a number, true, false or null", isCut: true };
  const problem =
    i === start ? "a value is missing" : "a value is not a text in double quotes, a number, true, false or null";
  return { at: start, problem };
}

function endsScalar(byte: number | undefined): boolean {
  return isBlank(byte) || byte === COMMA || byte === COLON || byte === CLOSE_BRACE || byte === CLOSE_BRACKET;
}

/** Returns the index of the first byte that is not valid UTF-8, or the number of bytes if all of them are valid. */
export function invalidByteIn(bytes: Uint8Array): number {
  let i = 0;
  while (i < bytes.length) {
    const length = sequenceAt(bytes, i);
    if (length === 0) return i;
    i += length;
  }
  return bytes.length;
}

/** Returns the length in bytes of the UTF-8 sequence at `i`; 0 if it is invalid. */
function sequenceAt(bytes: Uint8Array, i: number): number {
  const first = bytes[i] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const second = bytes[i + 1] ?? 0;
  // The second byte excludes overlong forms, surrogates and code points above U+10FFFF.
  if (second < (first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80)) return 0;
  if (second > (first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf)) return 0;
  for (let k = 2; k < length; k++) {
    const byte = bytes[i + k] ?? 0;
    if (byte < 0x80 || byte > 0xbf) return 0;
  }
  return length;
}
