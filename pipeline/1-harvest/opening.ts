/** Reads the beginning of an input to distinguish JSON Lines, one document, and other content. */

import { isUtf8 } from "node:buffer";
import { withoutMark } from "../files/decode-text.ts";
import { DamagedStream } from "../files/inflate.ts";
import type { Source } from "../sources/adapter/source.ts";
import { beginsValue, measureJson, NEWLINE, OPEN_BRACE, OPEN_BRACKET, skipBlank } from "./json-text.ts";
import { DOCUMENT_BYTES } from "./limits.ts";
import { beginsMarkup, isHtml, type Objection, objectionTo } from "./objection.ts";

/**
 * The kind of an input: JSON Lines, one document, or a rejected file. `head` contains the bytes that were read to find
 * out the kind.
 */
export type Opening =
  | { readonly kind: "lines"; readonly head: Buffer }
  | { readonly kind: "document"; readonly bytes: Buffer; readonly damage: DamagedStream | null }
  | { readonly kind: "rejected"; readonly objection: Objection };

/** Number of bytes at the start that are searched for NUL, which only binary files contain. */
const HEAD = 4096;

/** Reads chunks until the kind of the input is clear. `named` is true if the file name ends like JSON Lines (`.jsonl`). */
export async function openDocument(chunks: AsyncGenerator<Buffer>, named: boolean, source: Source): Promise<Opening> {
  const first = await chunks.next();
  if (first.done === true)
    return { kind: "rejected", objection: { reason: "empty", detail: "an empty file; copy or download it again" } };
  const objection = objectionToHead(first.value, named, source);
  if (objection !== null) return { kind: "rejected", objection };
  // The reader reuses its buffer.
  const head = Buffer.from(first.value);
  return named ? { kind: "lines", head } : gather(head, chunks);
}

export function isJsonLinesName(path: string): boolean {
  return /\.(?:jsonl|ndjson)(?:\.(?:gz|gzip|zst|zstd))?$/i.test(path);
}

function objectionToHead(head: Buffer, named: boolean, source: Source): Objection | null {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) {
    return {
      reason: "encoding",
      detail: "text in UTF-16 or UTF-32, because it begins with their byte order mark; convert it to UTF-8",
    };
  }
  const text = withoutMark(head);
  const first = text[skipBlank(text, 0)];
  if (first === undefined || beginsValue(first)) return null;
  if (head.subarray(0, HEAD).includes(0))
    return { reason: "binary", detail: "binary data with NUL bytes instead of text; give JSON, JSON Lines or XML" };
  if (named) return null;
  // The chunk may end within a character of up to four bytes.
  if (!isUtf8(head.subarray(0, Math.max(1, head.length - 3))))
    return { reason: "encoding", detail: "neither JSON nor text in UTF-8; if the file is text, convert it to UTF-8" };
  if (source.readsXml === true && beginsMarkup(text) && !isHtml(text)) return null;
  return objectionTo(text, source);
}

/**
 * Reads chunks until a second line follows a first line that is a complete document: the input is then JSON Lines.
 * Otherwise, reads the whole input as one document.
 */
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
      if (size > DOCUMENT_BYTES) return { kind: "rejected", objection: tooLarge() };
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
    detail: `one document of more than ${DOCUMENT_BYTES} bytes; convert it to JSON Lines, which have no such limit`,
  };
}

/** Detects JSON Lines in chunks: the first line is a complete document, and a second line follows. */
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

/** True for an object or array that begins and ends on this line. It may still be invalid JSON. */
function isCompleteDocument(line: Buffer): boolean {
  const text = withoutMark(line);
  const first = text[skipBlank(text, 0)];
  return (first === OPEN_BRACE || first === OPEN_BRACKET) && measureJson(text).closed;
}
