/**
 * Mutates valid bytes: flips, cuts and repeats parts of them, or inserts parts of other inputs and input that breaks parsers.
 */

import type { Dice } from "./dice.ts";

const TOKENS = [
  "\u0000",
  "\u001b[2J",
  "\u202e",
  "\ufeff",
  "<",
  ">",
  "<!--",
  "<![CDATA[",
  '<!DOCTYPE x [<!ENTITY y "z">]>',
  "&x;",
  "&#0;",
  "{",
  "}",
  "[",
  "]",
  '"',
  "\\",
  "\\u0000",
  "\\ud800",
  ",",
  ":",
  "null",
  "true",
  "-0",
  "1e999",
  "9007199254740993",
  "-1",
  "99999999999999999999",
  "\n",
  "\r\n",
  "__proto__",
  "constructor",
  "../../..",
  "/etc/passwd",
  "http://169.254.169.254/",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "=cmd()",
  "10.1234/",
  "0000-0002-1825-0097",
  "2026-02-30",
  "%00",
  "%2e%2e%2f",
  "'; drop table x; --",
];

/** Applies one to six mutations to a copy of `bytes`. The result has at most four megabytes. */
export function mutated(bytes: Buffer, dice: Dice, others: readonly Buffer[]): Buffer {
  let changed: Buffer = Buffer.from(bytes);
  for (let changes = 1 + dice.below(6); changes > 0; changes -= 1) changed = once(changed, dice, others);
  return changed.subarray(0, MAX_BYTES);
}

const MAX_BYTES = 4_000_000;

function once(bytes: Buffer, dice: Dice, others: readonly Buffer[]): Buffer {
  const at = dice.below(bytes.length + 1);
  const length = dice.oneIn(4) ? dice.below(bytes.length + 1) : dice.below(64);
  const [head, body, tail] = [bytes.subarray(0, at), bytes.subarray(at, at + length), bytes.subarray(at + length)];
  switch (dice.below(8)) {
    case 0:
      return flipped(bytes, at, dice);
    case 1:
      return Buffer.concat([head, tail]);
    case 2:
      return Buffer.concat([head, Buffer.from(dice.of(TOKENS)), tail]);
    case 3:
      return Buffer.concat([head, Buffer.from(dice.of(TOKENS)), body, tail]);
    case 4:
      return Buffer.concat([head, repeated(body, dice), tail]);
    case 5:
      return Buffer.concat([head, repeated(Buffer.from(dice.of(TOKENS)), dice), body, tail]);
    case 6: {
      const other = dice.of(others);
      const from = dice.below(other.length + 1);
      return Buffer.concat([head, other.subarray(from, from + dice.below(10_000)), tail]);
    }
    default:
      return digitsChanged(bytes, at, dice);
  }
}

function flipped(bytes: Buffer, at: number, dice: Dice): Buffer {
  for (let i = at; i < Math.min(bytes.length, at + 1 + dice.below(8)); i += 1) bytes[i] = dice.below(256);
  return bytes;
}

function repeated(piece: Buffer, dice: Dice): Buffer {
  const most = dice.oneIn(8) ? 1_000_000 : 2000;
  const times = 1 + dice.below(Math.max(1, Math.floor(most / Math.max(1, piece.length))));
  return Buffer.concat(Array.from({ length: times }, () => piece));
}

/** Replaces the next number in the text by a number that parsers may not expect. */
function digitsChanged(bytes: Buffer, at: number, dice: Dice): Buffer {
  let start = at;
  while (start < bytes.length && !isDigit(bytes[start])) start += 1;
  let end = start;
  while (end < bytes.length && isDigit(bytes[end])) end += 1;
  const number = dice.of(["0", "-1", "4294967296", "1e400", "00", String(dice.below(1_000_000)), ""]);
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(number), bytes.subarray(end)]);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}
