/** Cleans texts of depositors and web forms, and reads dates of metadata. */

import { decode } from "html-entities";
import { before } from "../vocabularies/ends.ts";
import type { Vocabularies } from "../vocabularies/index.ts";
import { foldSpace } from "../vocabularies/read-table.ts";
import { asObject, asText } from "./reader.ts";

const BLOCK_TAG = /<\/?(?:p|div|br|li|ul|ol|dl|dt|dd|h[1-6]|tr|td|th|table|blockquote|pre|section|hr)\b[^<>]*>/gi;
const TAG = /<\/?[a-zA-Z][^<>]*>/g;
/** Matches text that needs no cleaning: ASCII words with single spaces between them, without markup. */
const PLAIN = /^[!-%'-;=?-~]+(?: [!-%'-;=?-~]+)*$/;
const BRACKETS = /[<>]/g;

/**
 * Removes HTML, decodes entities, and reduces white space to single spaces. A text that was escaped twice is decoded
 * twice.
 */
export function cleanText(text: string): string {
  const untagged = text.includes("<") ? stripTags(text) : text;
  if (!untagged.includes("&")) return foldSpace(untagged);
  const decoded = decode(untagged);
  return foldSpace(decoded.includes("<") ? stripTags(decoded) : decoded);
}

/**
 * Returns the length of the cleaned text in code points. The evidence columns description_length and methods_length have
 * this unit.
 */
export function cleanLength(text: string): number {
  return text.includes("<") || text.includes("&") ? countCodePoints(cleanText(text)) : foldedLength(text);
}

/**
 * Returns the length of a text in code points, without markup and with folded white space. Does not build that text, to
 * save time.
 */
function foldedLength(text: string): number {
  let count = 0;
  let gap = false;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit <= 0x20 || unit >= 0xa0 ? isSpace(unit) : false) {
      gap = count > 0;
      continue;
    }
    // The first half of the surrogate pair was already counted.
    if (isLowSurrogate(unit) && i > 0 && isHighSurrogate(text.charCodeAt(i - 1))) continue;
    count += gap ? 2 : 1;
    gap = false;
  }
  return count;
}

/** True if a UTF-16 code unit is white space, as `\s` is (ECMAScript, CharacterClassEscape). */
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

/** Returns the number of Unicode code points. Half of a surrogate pair counts as one. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i += 1) {
    if (!isHighSurrogate(text.charCodeAt(i)) || !isLowSurrogate(text.charCodeAt(i + 1))) continue;
    count -= 1;
    i += 1;
  }
  return count;
}

/**
 * Returns a label that is safe to show: without markup, control and bidirectional characters, and with at most `limit` code
 * points.
 */
export function displayText(text: string, limit = 1000): string {
  if (text.length <= limit && PLAIN.test(text)) return text;
  // Cuts early, so that a long text does not take longer than a label.
  let clean = cleanText(text)
    .slice(0, 4 * limit)
    .replace(STEERING, "");
  // Removing a tag or control character can join the parts of another tag: "<<i>b>".
  while (clean.search(TAG) >= 0) clean = clean.replace(TAG, "");
  clean = foldSpace(clean).toWellFormed();
  return clean.length <= limit ? clean : Array.from(clean).slice(0, limit).join("").trimEnd();
}

/**
 * Makes a text safe to show like {@link displayText}, but returns a text without unsafe parts unchanged, except for
 * halves of surrogate pairs. If the whole text is in angle brackets, such as "<unknown>", only the brackets are
 * removed.
 */
export function safeText(text: string, limit = 1000): string {
  if (text.length <= limit && text.search(STEERING) < 0 && text.search(TAG) < 0) return text.toWellFormed();
  return displayText(text, limit) || displayText(text.replace(BRACKETS, " "), limit);
}

function stripTags(text: string): string {
  return withoutComments(text).replace(BLOCK_TAG, " ").replace(TAG, "");
}

/**
 * Removes HTML comments. A regular expression would be slow, because it would search the rest of the text for the end
 * of every comment that is not closed.
 */
function withoutComments(text: string): string {
  let rest = text;
  let output = "";
  for (let start = rest.indexOf("<!--"); start >= 0; start = rest.indexOf("<!--")) {
    const end = rest.indexOf("-->", start + 4);
    if (end < 0) break;
    output += `${rest.slice(0, start)} `;
    rest = rest.slice(end + 3);
  }
  return output + rest;
}

/** Matches characters that control a terminal, change the text direction or begin a line, and byte order marks. */
export const STEERING = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\ufeff]/gu;

const SPACES = /\s+/g;

/** Replaces white space and {@link STEERING} by single spaces. Cuts the text to at most `limit` UTF-16 units. */
export function lineText(text: string, limit: number): string {
  // Cuts early, so that a long text does not take longer than a line.
  const line = text
    .slice(0, 4 * limit)
    .replace(STEERING, " ")
    .replace(SPACES, " ")
    .trim();
  return line.slice(0, limit).toWellFormed();
}

/** Removes markup and control characters. Returns null for an empty text or a placeholder. */
export function shownText(text: string | null, { placeholders }: Vocabularies): string | null {
  return text === null || placeholders.isPlaceholder(text, "any") ? null : displayText(text) || null;
}

/**
 * Longest text, in characters, that is compared with placeholders. A longer text has content, even if it begins with
 * "TODO:".
 */
const MAX_PLACEHOLDER_LENGTH = 200;

/**
 * Returns the length of the cleaned text in code points. Returns 0 for an empty text or a placeholder such as "n/a",
 * and null (unknown) for null.
 */
export function textLength(text: string | null, { placeholders }: Vocabularies): number | null {
  if (text === null) return null;
  if (text.length <= MAX_PLACEHOLDER_LENGTH && placeholders.isPlaceholder(cleanText(text), "any")) return 0;
  return cleanLength(text);
}

/**
 * Returns a count with its noun: `1 record`, `2 records`. `nouns` is the plural of a noun that does not just add an s.
 */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}

/**
 * Returns the text of an element, then that of the elements in it, without attributes. Returns null if there is no text.
 */
export function readXmlText(element: unknown): string | null {
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
/**
 * Matches dates as DataCite and `toISOString` write them. Days 29 to 31 do not match, because their month must be checked.
 */
const CANONICAL = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{3})?Z$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/;

/** Returns a date as YYYY, YYYY-MM or YYYY-MM-DD; null if it cannot be read. A range becomes its first date. */
export function readDate(text: string | null): string | null {
  const match = text === null ? null : DATE.exec(text.trim());
  if (!match) return null;
  const [, year = "", month, day] = match;
  if (month === undefined) return year;
  if (Number(month) < 1 || Number(month) > 12) return null;
  if (day === undefined) return `${year}-${month}`;
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) >= 1 && Number(day) <= days ? `${year}-${month}-${day}` : null;
}

export function firstDay(date: string): string {
  return date.length === 4 ? `${date}-01-01` : date.length === 7 ? `${date}-01` : date;
}

/**
 * Returns an instant in ISO 8601 in UTC, so that captures can be compared; null if it cannot be read. A date without a time
 * becomes midnight.
 */
export function readInstant(text: string | null): string | null {
  if (text === null) return null;
  const canonical = CANONICAL.exec(text);
  if (canonical !== null) return canonical[1] === undefined ? `${text.slice(0, -1)}.000Z` : text;
  const date = readDate(text);
  if (!INSTANT.test(text)) {
    return date === null || date.length !== 10 ? null : `${date}T00:00:00.000Z`;
  }
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`;
  const time = Date.parse(zoned);
  // Date.parse turns 30 February into 1 March.
  return date === null || Number.isNaN(time) ? null : new Date(time).toISOString();
}

/**
 * Decodes base64 or base64url up to the first `=`, and returns its UTF-8 text. Ignores characters that are not base64
 * digits.
 */
export function textOfBase64(text: string): string {
  const digits = before(text, "=")
    .replace(/[^\w+/-]+/g, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  // A single digit at the end is not a byte.
  const bytes = atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}
