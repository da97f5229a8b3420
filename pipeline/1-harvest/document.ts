/** From the bytes of one document to its records: checked, parsed once, and each record cut out verbatim. */

import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import type { Envelope } from "../../schemas/envelope.ts";
import { at } from "../reading/reader.ts";
import type { Source } from "../sources/source.ts";
import { errorAnswerOf } from "./error-answer.ts";
import { invalidByteIn } from "./invalid-byte.ts";
import { measureJson, trimBlank } from "./json-measure.ts";
import { type Range, rangeAt, rangesAt } from "./json-slice.ts";
import { DEPTH, PAYLOAD_BYTES } from "./limits.ts";
import { type Objection, objectionTo } from "./not-json.ts";
import { withoutMark } from "./opening.ts";
import { looksLikeEnvelope, readOwnEnvelope } from "./own-envelope.ts";

/** One record found in a document. */
export interface Captured {
  readonly sourceId: string;
  readonly payload: string;
  readonly payloadDigest: string;
  /** Length of the payload in UTF-8. */
  readonly bytes: number;
  /** Where the line was an envelope of ours already: its own when, where and status. */
  readonly envelope: Envelope | null;
}

/** What was refused within a document; `item` is the 1-based element of a list, null for the document itself. */
export interface Refused extends Objection {
  readonly item: number | null;
}

/** Everything found in a document: each element of it is in exactly one of the two. */
export interface Findings {
  readonly records: readonly Captured[];
  readonly refused: readonly Refused[];
}

export type Parsed =
  | { readonly document: unknown; readonly bytes: Buffer; readonly objection: null }
  | { readonly objection: Objection };

/** Parses one document after checking that it is text a parser may see. */
export function parseDocument(raw: Buffer, source: Source): Parsed {
  const bytes = trimBlank(withoutMark(raw));
  if (bytes.length === 0) return { objection: { reason: "empty", detail: "nothing but white space" } };
  if (bytes.includes(0)) return { objection: { reason: "binary", detail: "holds NUL bytes" } };
  if (!isUtf8(bytes)) {
    const offset = bytes.byteOffset - raw.byteOffset + invalidByteIn(bytes);
    return { objection: { reason: "encoding", detail: `not UTF-8 at byte ${offset}` } };
  }
  if (measureJson(bytes).depth > DEPTH) {
    return { objection: { reason: "too-deep", detail: `nested deeper than ${DEPTH} levels` } };
  }
  try {
    return { document: JSON.parse(bytes.toString("utf8")), bytes, objection: null };
  } catch (error) {
    return { objection: objectionTo(bytes, source, error) };
  }
}

/** The records of one document of a source, or why there are none. */
export function findRecords(raw: Buffer, source: Source): Findings {
  const parsed = parseDocument(raw, source);
  return parsed.objection === null ? recordsIn(parsed.document, parsed.bytes, source) : refuse(parsed.objection);
}

/** The records of a document that has been parsed; `bytes` is its text. */
export function recordsIn(document: unknown, bytes: Buffer, source: Source): Findings {
  if (looksLikeEnvelope(document)) return readOwnEnvelope(document, source);
  const shape = source.shapeOf(document);
  switch (shape.kind) {
    case "record":
      return collect(bytes, [at(document, ...shape.path)], [rangeAt(bytes, shape.path)], source, false);
    case "list": {
      const list = at(document, ...shape.path);
      return collect(bytes, Array.isArray(list) ? list : [], rangesAt(bytes, shape.path) ?? [], source, true);
    }
    case "refused": {
      const message = shape.reason === "unknown-shape" ? errorAnswerOf(document) : null;
      return refuse(message === null ? shape : { reason: "error-answer", detail: message });
    }
    default:
      return shape satisfies never;
  }
}

function refuse(objection: Objection): Findings {
  return { records: [], refused: [{ item: null, reason: objection.reason, detail: objection.detail }] };
}

function collect(
  bytes: Buffer,
  values: readonly unknown[],
  ranges: readonly (Range | null)[],
  source: Source,
  isList: boolean,
): Findings {
  const records: Captured[] = [];
  const refused: Refused[] = [];
  if (values.length === 0) refused.push({ item: null, reason: "empty", detail: "a list of no records" });
  for (const [i, value] of values.entries()) {
    const range = ranges[i];
    if (range === undefined || range === null)
      throw new Error(`element ${i} of a parsed document has no place in its text`);
    const found = captureOne(bytes, value, range, source);
    if ("reason" in found) refused.push({ item: isList ? i + 1 : null, ...found });
    else records.push(found);
  }
  return { records, refused };
}

function captureOne(bytes: Buffer, value: unknown, range: Range, source: Source): Captured | Objection {
  const length = range.end - range.start;
  if (length > PAYLOAD_BYTES) {
    return { reason: "too-large", detail: `a record of ${length} bytes; the limit is ${PAYLOAD_BYTES}` };
  }
  const sourceId = source.identify(value);
  if (sourceId === null || sourceId.length > 2048) {
    return { reason: "no-identifier", detail: "a record without an identifier of its source" };
  }
  const slice = bytes.subarray(range.start, range.end);
  return {
    sourceId,
    payload: slice.toString("utf8"),
    payloadDigest: hash("sha256", slice),
    bytes: length,
    envelope: null,
  };
}
