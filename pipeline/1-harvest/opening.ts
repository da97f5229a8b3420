/** Reads the beginning of an input to distinguish JSON Lines, one document, and other content. Defines the limits of inputs. */

import { isUtf8 } from "node:buffer";
import type { RefusalReason } from "../../schemas/public/problem.ts";
import { DamagedStream } from "../files/inflate.ts";
import type { Source } from "../sources/adapter/source.ts";
import { jsonFaultIn } from "./json-fault.ts";
import { beginsValue, measureJson, OPEN_BRACE, OPEN_BRACKET, skipBlank } from "./json-text.ts";

/** The kind of an input; `head` has the bytes that were read. */
export type Opening =
  | { readonly kind: "lines"; readonly head: Buffer }
  | { readonly kind: "document"; readonly bytes: Buffer; readonly damage: DamagedStream | null }
  | { readonly kind: "refused"; readonly objection: Objection };

const NEWLINE = 0x0a;

/** Bytes that are searched for NUL. */
const HEAD = 4096;

/** Reads chunks until the kind of the input is clear. `named` is true if the file name is that of JSON Lines. */
export async function openDocument(chunks: AsyncGenerator<Buffer>, named: boolean, source: Source): Promise<Opening> {
  const first = await chunks.next();
  if (first.done === true) return { kind: "refused", objection: { reason: "empty", detail: "an empty file" } };
  const objection = objectionToHead(first.value, named, source);
  if (objection !== null) return { kind: "refused", objection };
  // The reader reuses its buffer.
  const head = Buffer.from(first.value);
  return named ? { kind: "lines", head } : gather(head, chunks);
}

export function isNamedLines(path: string): boolean {
  return /\.(?:jsonl|ndjson)(?:\.(?:gz|gzip|zst|zstd))?$/i.test(path);
}

export function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function objectionToHead(head: Buffer, named: boolean, source: Source): Objection | null {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) {
    return { reason: "encoding", detail: "UTF-16 or UTF-32 by its byte order mark; convert it to UTF-8" };
  }
  const text = withoutMark(head);
  const first = text[skipBlank(text, 0)];
  if (first === undefined || beginsValue(first)) return null;
  if (head.subarray(0, HEAD).includes(0)) return { reason: "binary", detail: "holds NUL bytes" };
  if (named) return null;
  // The chunk may end within a character of up to four bytes.
  if (!isUtf8(head.subarray(0, Math.max(1, head.length - 3))))
    return { reason: "encoding", detail: "neither UTF-8 nor JSON" };
  if (source.readsXml === true && beginsMarkup(text) && !isHtml(text)) return null;
  return objectionTo(text, source);
}

/** Reads until the first line is a complete document with another line after it, or to the end. */
async function gather(head: Buffer, chunks: AsyncGenerator<Buffer>): Promise<Opening> {
  const pieces = [head];
  let size = head.length;
  const sniffer = new FirstLine();
  let damage: DamagedStream | null = null;
  try {
    if (sniffer.see(head, pieces) === "lines") return { kind: "lines", head };
    // A for-await loop would end the stream for the reader of the other lines.
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      size += next.value.length;
      if (size > DOCUMENT_BYTES) return { kind: "refused", objection: tooLarge() };
      pieces.push(Buffer.from(next.value));
      if (sniffer.see(next.value, pieces) === "lines") return { kind: "lines", head: Buffer.concat(pieces) };
    }
  } catch (error) {
    if (!(error instanceof DamagedStream)) throw error;
    damage = error;
  }
  return { kind: "document", bytes: Buffer.concat(pieces), damage };
}

function tooLarge(): Objection {
  return {
    reason: "too-large",
    detail: `one document of more than ${DOCUMENT_BYTES} bytes; JSON Lines have no such limit`,
  };
}

/** Decides from chunks if the first line is a complete document with another line after it. */
class FirstLine {
  private state: "before" | "within" | "behind" | "document" = "before";

  see(chunk: Buffer, pieces: readonly Buffer[]): "lines" | "undecided" {
    let from = 0;
    if (this.state === "before") {
      from = skipBlank(chunk, chunk.length - withoutMark(chunk).length);
      if (from < chunk.length) this.state = "within";
    }
    if (this.state === "within") {
      const end = chunk.indexOf(NEWLINE, from);
      if (end >= 0) {
        this.state = isCompleteDocument(Buffer.concat([...pieces.slice(0, -1), chunk.subarray(0, end)]))
          ? "behind"
          : "document";
        from = end + 1;
      }
    }
    return this.state === "behind" && skipBlank(chunk, from) < chunk.length ? "lines" : "undecided";
  }
}

/** True for an object or array that ends on its line. Parsing decides whether it is valid. */
function isCompleteDocument(line: Buffer): boolean {
  const text = withoutMark(line);
  const first = text[skipBlank(text, 0)];
  return (first === OPEN_BRACE || first === OPEN_BRACKET) && measureJson(text).closed;
}

export interface Objection {
  readonly reason: RefusalReason;
  readonly detail: string;
}

const LESS_THAN = 0x3c;

/** Bytes that are searched for the root element. */
const TEXT_HEAD = 4096;

const HTML = /<!doctype\s+html|<html[\s>]/i;

/** Declarations, comments and document types before a root element. */
const PROLOG = /<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*(?:\[[\s\S]*?\])?[^>]*>/gi;

/** Explains why `bytes` cannot be parsed. */
export function objectionTo(bytes: Buffer, source: Source): Objection {
  const first = bytes[skipBlank(bytes, 0)];
  if (first === LESS_THAN) return markup(bytes.toString("utf8", 0, TEXT_HEAD), source);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return { reason: "not-json", detail: "plain text" };
  const fault = jsonFaultIn(bytes);
  if (fault === null) return { reason: "not-json", detail: "JSON that cannot be read" };
  // In JSON Lines, the line number of the file is shown.
  const line = bytes.includes("\n") ? `line ${fault.line}, ` : "";
  // The text of the payload must not reach a receipt.
  const place = `at ${line}column ${fault.column}: ${fault.problem}`;
  if (fault.isCut) return { reason: "truncated", detail: `JSON that ends before it is closed, ${place}` };
  return { reason: "not-json", detail: `JSON with a syntax error ${place}` };
}

export function beginsMarkup(bytes: Buffer): boolean {
  return bytes[skipBlank(bytes, 0)] === LESS_THAN;
}

/** True for an HTML page, judged by its beginning. */
export function isHtml(bytes: Buffer): boolean {
  return HTML.test(bytes.toString("utf8", 0, TEXT_HEAD));
}

function markup(head: string, source: Source): Objection {
  if (HTML.test(head)) return { reason: "not-json", detail: "an HTML page" };
  const root = /<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)/.exec(head.replace(PROLOG, ""))?.[1];
  const retired = root === undefined ? undefined : source.retiredRoots?.[root];
  if (retired !== undefined) return { reason: "retired-format", detail: retired };
  return { reason: "not-json", detail: root === undefined ? "markup" : `an XML document (<${root.slice(0, 60)}>)` };
}

/** Largest line or document (including list envelopes) in bytes. */
export const DOCUMENT_BYTES = 64 * 1024 * 1024;

/** Largest record in bytes. Evaluations have the same limit (decisions.md). */
export const PAYLOAD_BYTES = 5 * 1024 * 1024;

/** Deepest nesting of objects and arrays. */
export const DEPTH = 200;

/**
 * Largest number of values in one document. It allows four values for every 64 characters, far more than lists of records
 * have.
 */
export const VALUES = 4_000_000;

/** Largest number of records in one document. In the largest document, each has at least 128 bytes. */
export const ITEMS = 500_000;

/** Rejected items of one file or page that are listed. Further ones are counted. */
export const LISTED_REFUSALS = 1000;

/** Uncompressed size in bytes at which a part is finished. */
export const PART_SIZE = 64 * 1024 * 1024;

/** Rejected items in memory before they are written. */
export const WAITING_REFUSALS = 20_000;

/** Limit of pages of one part of a record. A longer part is left out completely. */
export const PAGES_OF_A_PART = 200;

/** Records that a walk remembers to detect repetitions. At the limit, it forgets the older half. */
export const REMEMBERED_RECORDS = 4_000_000;

/** Requests between two checkpoints of a walk. */
export const REQUESTS_A_PART = 200;

/** Pages between two checkpoints of a walk. */
export const PAGES_A_PART = 20;
