/** Plain text out of what depositors and web forms leave in metadata. */

import { decode } from "html-entities";
import type { Vocabularies } from "../vocabularies/index.ts";
import { foldSpace } from "../vocabularies/read-table.ts";
import { asObject, asText } from "./reader.ts";

const BLOCK_TAG = /<\/?(?:p|div|br|li|ul|ol|dl|dt|dd|h[1-6]|tr|td|th|table|blockquote|pre|section|hr)\b[^<>]*>/gi;
const TAG = /<\/?[a-zA-Z][^<>]*>/g;
/** Printable ASCII words with single spaces, no markup: shown as it is. */
const PLAIN = /^[!-%'-;=?-~]+(?: [!-%'-;=?-~]+)*$/;
const BRACKETS = /[<>]/g;

/** HTML removed, entities decoded, white space folded; text that was escaped twice is unescaped once more. */
export function cleanText(text: string): string {
  const untagged = text.includes("<") ? stripTags(text) : text;
  if (!untagged.includes("&")) return foldSpace(untagged);
  const decoded = decode(untagged);
  return foldSpace(decoded.includes("<") ? stripTags(decoded) : decoded);
}

/** Code points of the cleaned text: the unit of description_length and methods_length. */
export function cleanLength(text: string): number {
  return text.includes("<") || text.includes("&") ? codePoints(cleanText(text)) : foldedLength(text);
}

/** Code points of a text without markup once its white space is folded, counted without making the folded text. */
function foldedLength(text: string): number {
  let count = 0;
  let gap = false;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit <= 0x20 || unit >= 0xa0 ? isSpace(unit) : false) {
      gap = count > 0;
      continue;
    }
    // The second half of a pair belongs to the code point its first half has counted.
    if (isLowSurrogate(unit) && i > 0 && isHighSurrogate(text.charCodeAt(i - 1))) continue;
    count += gap ? 2 : 1;
    gap = false;
  }
  return count;
}

/** What `\s` matches, by code unit (ECMAScript, CharacterClassEscape). */
function isSpace(unit: number): boolean {
  if (unit <= 0x20) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  return (
    unit === 0xa0 ||
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000 ||
    unit === 0xfeff
  );
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Number of Unicode code points, lone surrogates counting one. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i += 1) {
    if (!isHighSurrogate(text.charCodeAt(i)) || !isLowSurrogate(text.charCodeAt(i + 1))) continue;
    count -= 1;
    i += 1;
  }
  return count;
}

/** A label safe to show: no markup, control or bidirectional characters; at most `limit` code points. */
export function displayText(text: string, limit = 1000): string {
  if (text.length <= limit && PLAIN.test(text)) return text;
  // Cut to a few times the limit first, so that no text costs more than a label.
  let clean = cleanText(text)
    .slice(0, 4 * limit)
    .replace(STEERING, "");
  // What was inside a tag, or held apart by a control character, can be a tag again: "<<i>b>".
  while (clean.search(TAG) >= 0) clean = clean.replace(TAG, "");
  clean = foldSpace(clean).toWellFormed();
  return clean.length <= limit ? clean : Array.from(clean).slice(0, limit).join("").trimEnd();
}

/** As {@link displayText}, but a text with nothing to remove stays as it is; what is all brackets loses only those. */
export function safeText(text: string, limit = 1000): string {
  if (text.length <= limit && text.search(STEERING) < 0 && text.search(TAG) < 0) return text;
  return displayText(text, limit) || displayText(text.replace(BRACKETS, " "), limit);
}

function stripTags(text: string): string {
  return withoutComments(text).replace(BLOCK_TAG, " ").replace(TAG, "");
}

/** By hand, because a pattern would look for the end of every unclosed comment again. */
function withoutComments(text: string): string {
  let rest = text;
  let kept = "";
  for (let start = rest.indexOf("<!--"); start >= 0; start = rest.indexOf("<!--")) {
    const end = rest.indexOf("-->", start + 4);
    if (end < 0) break;
    kept += `${rest.slice(0, start)} `;
    rest = rest.slice(end + 3);
  }
  return kept + rest;
}

/** Characters that would steer a terminal, turn words round, or begin a line. Byte order marks are seen by nobody. */
export const STEERING = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\ufeff]/gu;

const SPACES = /\s+/g;

/** White space and what is in {@link STEERING} as single spaces; at most `limit` UTF-16 units. */
export function lineText(text: string, limit: number): string {
  // Cut to a few times the limit first, so that no text costs more than a line.
  const line = text
    .slice(0, 4 * limit)
    .replace(STEERING, " ")
    .replace(SPACES, " ")
    .trim();
  return line.slice(0, limit).toWellFormed();
}

/** The text without markup and control characters; null where there is none, or a placeholder. */
export function shownText(text: string | null, { placeholders }: Vocabularies): string | null {
  return text === null || placeholders.isPlaceholder(text, "any") ? null : displayText(text) || null;
}

/** The longest text of an untouched template; a longer one says something, even if it begins with "TODO:". */
const LONGEST_PLACEHOLDER = 200;

/** Code points of the cleaned text: null = not carried, 0 = blank or a placeholder. */
export function textLength(text: string | null, { placeholders }: Vocabularies): number | null {
  if (text === null) return null;
  if (text.length <= LONGEST_PLACEHOLDER && placeholders.isPlaceholder(cleanText(text), "any")) return 0;
  return cleanLength(text);
}

/** Returns `1 record`, `2 records`, or with a plural of its own `1 query`, `2 queries`. */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}

/** Own text first, then that of the elements in their order; attributes left out; null where there is none. */
export function xmlTextOf(element: unknown): string | null {
  const pieces: string[] = [];
  gather(element, pieces);
  return pieces.length === 0 ? null : pieces.join(" ");
}

function gather(value: unknown, pieces: string[]): void {
  const text = asText(value);
  if (text !== null) pieces.push(text);
  if (Array.isArray(value)) for (const element of value) gather(element, pieces);
  const object = asObject(value);
  if (object === null) return;
  gather(object["#text"], pieces);
  for (const [name, member] of Object.entries(object)) {
    if (name !== "#text" && !name.startsWith("@")) gather(member, pieces);
  }
}

const DATE = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?=$|[T\s/])/;
/** What DataCite and `toISOString` write: valid as it is. The 29th to 31st take the long way. */
const CANONICAL = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{3})?Z$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/;

/** The date as YYYY, YYYY-MM or YYYY-MM-DD (of a range: its start), or null where there is none to read. */
export function dateOf(text: string | null): string | null {
  const match = text === null ? null : DATE.exec(text.trim());
  if (!match) return null;
  const [, year = "", month, day] = match;
  if (month === undefined) return year;
  if (Number(month) < 1 || Number(month) > 12) return null;
  if (day === undefined) return `${year}-${month}`;
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) >= 1 && Number(day) <= days ? `${year}-${month}-${day}` : null;
}

/** The date's first day, for comparison with an as-of date. */
export function firstDay(date: string): string {
  return date.length === 4 ? `${date}-01-01` : date.length === 7 ? `${date}-01` : date;
}

/** An instant in UTC as ISO 8601, to compare captures by; a bare date is its midnight. Null where unreadable. */
export function instantOf(text: string | null): string | null {
  if (text === null) return null;
  const canonical = CANONICAL.exec(text);
  if (canonical !== null) return canonical[1] === undefined ? `${text.slice(0, -1)}.000Z` : text;
  const date = dateOf(text);
  if (!INSTANT.test(text)) {
    return date === null || date.length !== 10 ? null : `${date}T00:00:00.000Z`;
  }
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`;
  const time = Date.parse(zoned);
  // Date.parse turns 30 February into 1 March.
  return date === null || Number.isNaN(time) ? null : new Date(time).toISOString();
}
