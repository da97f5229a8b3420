/** Looks at the beginning of an input to tell JSON Lines from one document, and both from what is neither. */

import { isUtf8 } from "node:buffer";
import type { RefusalReason } from "../../schemas/public/problem.ts";
import { DamagedStream } from "../files/inflate.ts";
import type { Source } from "../sources/adapter/source.ts";
import { jsonFaultIn } from "./json-fault.ts";
import { beginsValue, measureJson, OPEN_BRACE, OPEN_BRACKET, skipBlank } from "./json-text.ts";

/** The kind of an input; `head` is what had to be read to know. */
export type Opening =
  | { readonly kind: "lines"; readonly head: Buffer }
  | { readonly kind: "document"; readonly bytes: Buffer; readonly damage: DamagedStream | null }
  | { readonly kind: "refused"; readonly objection: Objection };

const NEWLINE = 0x0a;

/** How much of a file is looked at for NUL bytes. */
const HEAD = 4096;

/** Reads from `chunks` as much as it takes; names are believed only where they say JSON Lines. */
export async function openDocument(chunks: AsyncGenerator<Buffer>, named: boolean, source: Source): Promise<Opening> {
  const first = await chunks.next();
  if (first.done === true) return { kind: "refused", objection: { reason: "empty", detail: "an empty file" } };
  const objection = objectionToHead(first.value, named, source);
  if (objection !== null) return { kind: "refused", objection };
  // Copied: the reader uses its buffer again.
  const head = Buffer.from(first.value);
  return named ? { kind: "lines", head } : gather(head, chunks);
}

/** True where the name says that every line is a document, whatever compression is named behind it. */
export function isNamedLines(path: string): boolean {
  return /\.(?:jsonl|ndjson)(?:\.(?:gz|gzip|zst|zstd))?$/i.test(path);
}

/** The bytes without a UTF-8 byte order mark. */
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
  // Up to three bytes may be the beginning of a character the chunk cuts.
  if (!isUtf8(head.subarray(0, Math.max(1, head.length - 3))))
    return { reason: "encoding", detail: "neither UTF-8 nor JSON" };
  if (source.readsXml === true && beginsMarkup(text) && !isHtml(text)) return null;
  return objectionTo(text, source);
}

/** Reads on until the first line is known to be a document with more behind it, or else to the end. */
async function gather(head: Buffer, chunks: AsyncGenerator<Buffer>): Promise<Opening> {
  const pieces = [head];
  let size = head.length;
  const sniffer = new FirstLine();
  let damage: DamagedStream | null = null;
  try {
    if (sniffer.see(head, pieces) === "lines") return { kind: "lines", head };
    // Not for-await: leaving that loop would end the stream for whoever reads the other lines.
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

/** Watches chunks go by until it is clear whether the first line is whole by itself and more follows it. */
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
        this.state = standsAlone(Buffer.concat([...pieces.slice(0, -1), chunk.subarray(0, end)]))
          ? "behind"
          : "document";
        from = end + 1;
      }
    }
    return this.state === "behind" && skipBlank(chunk, from) < chunk.length ? "lines" : "undecided";
  }
}

/** An object or array that ends on its line; whether it is valid shows when it is parsed. */
function standsAlone(line: Buffer): boolean {
  const text = withoutMark(line);
  const first = text[skipBlank(text, 0)];
  return (first === OPEN_BRACE || first === OPEN_BRACKET) && measureJson(text).closed;
}

export interface Objection {
  readonly reason: RefusalReason;
  readonly detail: string;
}

const LESS_THAN = 0x3c;

/** How much of a document is looked at for its root element. */
const TEXT_HEAD = 4096;

const HTML = /<!doctype\s+html|<html[\s>]/i;

/** What stands before a root element: declaration, comments, document type. */
const PROLOG = /<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*(?:\[[\s\S]*?\])?[^>]*>/gi;

/** Why `bytes` could not be parsed. */
export function objectionTo(bytes: Buffer, source: Source): Objection {
  const first = bytes[skipBlank(bytes, 0)];
  if (first === LESS_THAN) return markup(bytes.toString("utf8", 0, TEXT_HEAD), source);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return { reason: "not-json", detail: "plain text" };
  const fault = jsonFaultIn(bytes);
  if (fault === null) return { reason: "not-json", detail: "JSON that cannot be read" };
  // A line of JSON Lines is counted in its file.
  const line = bytes.includes("\n") ? `line ${fault.line}, ` : "";
  // Only the place: the text itself has no business in a receipt.
  const place = `at ${line}column ${fault.column}: ${fault.problem}`;
  if (fault.isCut) return { reason: "truncated", detail: `JSON that ends before it is closed, ${place}` };
  return { reason: "not-json", detail: `JSON with a syntax error ${place}` };
}

/** True where text begins as markup does. */
export function beginsMarkup(bytes: Buffer): boolean {
  return bytes[skipBlank(bytes, 0)] === LESS_THAN;
}

/** True where the beginning of markup says that it is a page for people. */
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

/** A line or a whole document (list envelopes included). */
export const DOCUMENT_BYTES = 64 * 1024 * 1024;

/** One record; decisions.md gives evaluations the same limit. */
export const PAYLOAD_BYTES = 5 * 1024 * 1024;

/** Objects and arrays within one another. */
export const DEPTH = 200;

/** Numbers, texts, objects and so on of one document: four to a line of 64 characters, which no list of records comes near. */
export const VALUES = 4_000_000;

/** Records of one document, each of 128 bytes at least where it is as large as a document may be. */
export const ITEMS = 500_000;

/** Refusals of one file, or page of a walk, that are told one by one; of those behind them there is a count. */
export const LISTED_REFUSALS = 1000;

/** Uncompressed size at which a part is rolled. */
export const PART_SIZE = 64 * 1024 * 1024;

/** Refusals held in memory before they are written. */
export const WAITING_REFUSALS = 20_000;

/** Pages of one part of a record; a part with more is left out rather than cut. */
export const PAGES_OF_A_PART = 200;

/** Records remembered to tell one that comes twice; older ones are forgotten by halves. */
export const REMEMBERED_RECORDS = 4_000_000;

/** Requests after which a walk is checkpointed, so that little is asked for again. */
export const REQUESTS_A_PART = 200;

/** Pages after which a walk is checkpointed, however small they are. */
export const PAGES_A_PART = 20;
