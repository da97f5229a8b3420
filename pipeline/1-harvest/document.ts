/** Reads the records of one document: checks the bytes, parses them once, and cuts out each record unchanged. */

import { hash } from "#hash";
import { type Envelope, envelope } from "../../schemas/internal/rows.ts";
import { decodeStrictly, decodeText, withoutMark } from "../files/decode-text.ts";
import { withXmlParts } from "../reading/normalised.ts";
import { asObject, at, firstText } from "../reading/reader.ts";
import { STEERING } from "../reading/text.ts";
import { checkXml, parseXml, XmlError } from "../reading/xml.ts";
import type { ResponseShape, Source } from "../sources/adapter/source.ts";
import { invalidByteIn } from "./json-fault.ts";
import {
  beginsValue,
  measureJson,
  type Range,
  rangeAt,
  rangesAt,
  rangesOfMembers,
  trimBlank,
  xmlSlices,
} from "./json-text.ts";
import { DEPTH, ITEMS, PAYLOAD_BYTES, VALUES } from "./limits.ts";
import { beginsMarkup, isHtml, type Objection, objectionTo } from "./objection.ts";
import type { Service } from "./service.ts";

export interface CapturedRecord {
  readonly sourceId: string;
  readonly payload: string;
  readonly payloadDigest: string;
  readonly bytes: number;
  /**
   * The stored envelope, if the document is one: a record as raw parts contain it, with its own retrieval time, URL and
   * status. Null for any other record.
   */
  readonly envelope: Envelope | null;
}

/**
 * A rejected part of a document. `item` is the position of the rejected element in its list, counted from 1; null if
 * the whole document was rejected.
 */
export interface RejectedPart extends Objection {
  readonly item: number | null;
}

/** The records and the rejected parts of a document. Each element is in exactly one of the two lists. */
export interface Findings {
  readonly records: readonly CapturedRecord[];
  readonly rejected: readonly RejectedPart[];
}

export type Language = "json" | "xml" | "text";

export interface Document {
  readonly document: unknown;
  readonly bytes: Uint8Array;
  readonly language: Language;
  readonly objection: null;
}

export type Parsed = Document | { readonly objection: Objection };

/**
 * Parses one document after checking its encoding. `due` is the expected language. If it is null, a document that
 * begins with markup is parsed as XML, if the source can read XML, and any other document as JSON.
 */
export function parseDocument(raw: Uint8Array, source: Service, due: Language | null = null): Parsed {
  const unmarked = withoutMark(raw);
  const bytes = trimBlank(unmarked);
  if (bytes.length === 0 && due !== "text") return rejection("empty", "a document with only white space");
  if (bytes.includes(0)) return rejection("binary", "binary data with NUL bytes instead of text");
  const text = decodeStrictly(bytes);
  if (text === null) {
    const offset = bytes.byteOffset - raw.byteOffset + invalidByteIn(bytes);
    return rejection("encoding", `text that is not UTF-8 at byte ${offset}`);
  }
  if (due === "text") return parseText(bytes, text, source);
  const xml = due === "xml" || (due === null && source.readsXml === true && beginsMarkup(bytes) && !isHtml(bytes));
  return xml ? parseMarkup(bytes, text, source) : parseJson(bytes, text, unmarked, source);
}

/**
 * Parses JSON. `unmarked` still has the white space before the value: syntax errors are located in it, so that their
 * line numbers are those of the file.
 */
function parseJson(bytes: Uint8Array, text: string, unmarked: Uint8Array, source: Service): Parsed {
  const { depth, values, closed } = measureJson(bytes);
  if (depth > DEPTH) return rejection("too-deep", `JSON that is nested deeper than ${DEPTH} levels`);
  if (values > VALUES) return rejection("too-large", `a document of more than ${VALUES} values, which is the limit`);
  // Exceptions of the parser are slow if every line is invalid.
  if (!closed || !beginsValue(bytes[0])) return { objection: objectionTo(unmarked, source) };
  try {
    return { document: JSON.parse(text), bytes, language: "json", objection: null };
  } catch {
    return { objection: objectionTo(unmarked, source) };
  }
}

function parseMarkup(bytes: Uint8Array, text: string, source: Service): Parsed {
  if (!beginsMarkup(bytes) || isHtml(bytes)) return { objection: objectionTo(bytes, source) };
  try {
    return { document: parseXml(text), bytes, language: "xml", objection: null };
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    return rejection(error.reason === "not-xml" ? "not-json" : error.reason, error.message);
  }
}

/** Accepts any text except markup, because services send HTML or XML error pages even with status 200. */
function parseText(bytes: Uint8Array, text: string, source: Service): Parsed {
  if (beginsMarkup(bytes)) return { objection: objectionTo(bytes, source) };
  return { document: text, bytes, language: "text", objection: null };
}

function rejection(reason: Objection["reason"], detail: string): Parsed {
  return { objection: { reason, detail } };
}

/** Returns the records of one document, or the reason why it was rejected. */
export function findRecords(raw: Uint8Array, source: Source): Findings {
  return gatherFindings(findingsIn(raw, source));
}

export function recordsIn(parsed: Document, source: Source): Findings {
  return gatherFindings(findingsInDocument(parsed, source));
}

/** Yields the records and the rejected parts of one document one by one, so that memory stays small. */
export function* findingsIn(raw: Uint8Array, source: Source): Generator<CapturedRecord | RejectedPart, void> {
  const parsed = parseDocument(raw, source);
  if (parsed.objection === null) yield* findingsInDocument(parsed, source);
  else yield { item: null, ...parsed.objection };
}

function gatherFindings(findings: Iterable<CapturedRecord | RejectedPart>): Findings {
  const records: CapturedRecord[] = [];
  const rejected: RejectedPart[] = [];
  for (const found of findings) {
    if ("reason" in found) rejected.push(found);
    else records.push(found);
  }
  return { records, rejected };
}

export function* findingsInDocument(parsed: Document, source: Source): Generator<CapturedRecord | RejectedPart, void> {
  const { document } = parsed;
  if (looksLikeEnvelope(document)) {
    const { records, rejected } = readStoredEnvelope(document, source);
    yield* records;
    yield* rejected;
    return;
  }
  const shape = source.readShape(document);
  if (shape.kind !== "rejected") {
    yield* findingsInShape(parsed, shape, source);
    return;
  }
  const message = shape.reason === "unknown-shape" ? findErrorMessage(document) : null;
  const objection: Objection = message === null ? shape : { reason: "error-answer", detail: message };
  yield objectionToAll(objection.reason, objection.detail);
}

function objectionToAll(reason: Objection["reason"], detail: string): RejectedPart {
  return { item: null, reason, detail };
}

type Shape = Exclude<ResponseShape, { kind: "rejected" }>;

function* findingsInShape(
  parsed: Document,
  shape: Shape,
  source: Source,
): Generator<CapturedRecord | RejectedPart, void> {
  const pieces = splitPieces(parsed, shape);
  if (pieces === null)
    return yield objectionToAll(
      "unknown-shape",
      "XML whose list cannot be split into records; store each record in a file of its own",
    );
  const isList = shape.kind !== "record";
  let count = 0;
  for (const piece of pieces) {
    count += 1;
    if (count > ITEMS)
      return yield objectionToAll(
        "too-large",
        `a list of more than ${ITEMS} records: the others are left out; split the list into several files`,
      );
    const found = captureOne(piece, source);
    yield "reason" in found ? { item: isList ? count : null, ...found } : found;
  }
  if (count === 0) yield objectionToAll("empty", "a list without records");
}

interface RecordPiece {
  readonly value: unknown;
  readonly text: Uint8Array;
}

/** Returns the records at the path of `shape`. Returns null for XML whose elements cannot be separated. */
export function splitPieces(parsed: Omit<Document, "objection">, shape: Shape): Iterable<RecordPiece> | null {
  const { document, bytes } = parsed;
  if (parsed.language === "xml") return xmlPieces(document, bytes, shape.path);
  switch (shape.kind) {
    case "record":
      return [pieceAt(at(document, ...shape.path), bytes, rangeAt(bytes, shape.path))];
    case "list":
      return listElementPieces(document, bytes, shape);
    case "members":
      return listMemberPieces(document, bytes, shape);
    default:
      return shape satisfies never;
  }
}

function* listElementPieces(
  document: unknown,
  bytes: Uint8Array,
  shape: Extract<Shape, { kind: "list" }>,
): Generator<RecordPiece> {
  const ranges = rangesAt(bytes, shape.path);
  const values = at(document, ...shape.path);
  for (const value of Array.isArray(values) ? values : []) {
    const { value: range } = ranges.next();
    yield recordWithin(pieceAt(value, bytes, range ?? null), shape.item ?? []);
  }
}

function* listMemberPieces(
  document: unknown,
  bytes: Uint8Array,
  shape: Extract<Shape, { kind: "members" }>,
): Generator<RecordPiece> {
  const ranges = rangesOfMembers(bytes, shape.path);
  // A list can repeat one key a million times.
  for (const key of new Set(shape.keys))
    yield pieceAt(at(document, ...shape.path, key), bytes, ranges.get(key) ?? null);
}

/**
 * Returns each element at `path` of an XML document as a document of its own. Returns null if the parser finds another
 * number of elements than a search of the text, because parsed elements and texts could then not be matched.
 */
function xmlPieces(document: unknown, bytes: Uint8Array, path: readonly string[]): RecordPiece[] | null {
  const name = path.at(-1);
  if (name === undefined) return [{ value: document, text: bytes }];
  const found = at(document, ...path);
  const values = found === undefined ? [] : Array.isArray(found) ? found : [found];
  const slices = xmlSlices(checkXml(decodeText(bytes), "document"), path);
  if (slices.length !== values.length) return null;
  return values.map((value: unknown, i) => ({
    value: { [name]: value },
    text: new TextEncoder().encode(slices[i] ?? ""),
  }));
}

function pieceAt(value: unknown, bytes: Uint8Array, range: Range | null): RecordPiece {
  if (range === null)
    throw new Error("a record of a parsed document was not found in the text of the document; report this");
  return { value, text: bytes.subarray(range.start, range.end) };
}

function recordWithin(piece: RecordPiece, item: readonly string[]): RecordPiece {
  const value = item.length === 0 ? undefined : at(piece.value, ...item);
  return value === undefined ? piece : pieceAt(value, piece.text, rangeAt(piece.text, item));
}

function captureOne({ value, text }: RecordPiece, source: Source): CapturedRecord | Objection {
  if (text.length > PAYLOAD_BYTES) {
    return { reason: "too-large", detail: `a record of ${text.length} bytes; the limit is ${PAYLOAD_BYTES}` };
  }
  const sourceId = identifyRecord(value, source);
  if (sourceId === null || !isSafeId(sourceId)) return whyNoRecord(value, source);
  const rejection = source.findRejection?.(value) ?? null;
  if (rejection !== null) return { reason: "unknown-shape", detail: rejection };
  return buildCapture(sourceId, text);
}

function identifyRecord(value: unknown, source: Source): string | null {
  try {
    return source.identify(withXmlParts(value, source.xmlParts ?? []));
  } catch (error) {
    // XML in a payload of another origin may be invalid.
    if (error instanceof XmlError) return null;
    throw error;
  }
}

/**
 * Explains why an element of a list is not a record. If a service sends null in place of a record, the record is
 * private; if it sends an error, the record is not available.
 */
function whyNoRecord(value: unknown, source: Source): Objection {
  if (value === null) return { reason: "empty", detail: "null in place of a record, because the record is private" };
  const message = asObject(value) === null ? null : findErrorMessage(value);
  if (message !== null) return { reason: "error-answer", detail: message };
  return {
    reason: "no-identifier",
    detail: `a record without an identifier of ${source.name} such as ${source.example}`,
  };
}

export function buildCapture(sourceId: string, text: Uint8Array): CapturedRecord {
  return {
    sourceId,
    payload: decodeText(text),
    payloadDigest: hash("sha256", text),
    bytes: text.length,
    envelope: null,
  };
}

/**
 * True if the document looks like a stored record (an envelope): only envelopes contain a payload as text and its
 * digest.
 */
function looksLikeEnvelope(document: unknown): boolean {
  const object = asObject(document);
  return object !== null && typeof object.payload === "string" && typeof object.payloadDigest === "string";
}

/**
 * Returns the record in an envelope. Rejects an envelope that is not valid, for example if its digest does not match its
 * payload.
 */
function readStoredEnvelope(document: unknown, source: Source): Findings {
  const parsed = envelope.safeParse(document);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return reject({
      reason: "unknown-shape",
      detail: `a stored record (envelope) whose ${issue?.path.join(".") || "keys"} is missing, unknown or invalid; harvest the record again`,
    });
  }
  const { sourceId, payload, payloadDigest } = parsed.data;
  const bytes = new TextEncoder().encode(payload).length;
  if (parsed.data.source !== source.name) {
    return reject({
      reason: "unknown-shape",
      detail: `a stored record (envelope) of the source ${parsed.data.source}, not ${source.name}; harvest the file as ${parsed.data.source}`,
    });
  }
  if (!isSafeId(sourceId))
    return reject({
      reason: "no-identifier",
      detail: `a stored record (envelope) whose sourceId has more than ${MAX_ID_LENGTH} characters or control characters; harvest the record again`,
    });
  if (bytes > PAYLOAD_BYTES)
    return reject({ reason: "too-large", detail: `a record of ${bytes} bytes; the limit is ${PAYLOAD_BYTES}` });
  if (hash("sha256", payload) !== payloadDigest) {
    return reject({
      reason: "unknown-shape",
      detail:
        "a stored record (envelope) whose payload does not match its payloadDigest, so it was changed; harvest the record again",
    });
  }
  return { records: [{ sourceId, payload, payloadDigest, bytes, envelope: parsed.data }], rejected: [] };
}

function reject(objection: Objection): Findings {
  return { records: [], rejected: [{ item: null, ...objection }] };
}

const MAX_ID_LENGTH = 2048;

/**
 * True if the id is short enough and safe to print: it has no characters that control a terminal or the text direction.
 */
function isSafeId(sourceId: string): boolean {
  return sourceId.length <= MAX_ID_LENGTH && sourceId.search(STEERING) < 0;
}

/** Returns the message of the service if `document` is an error response; otherwise null. */
export function findErrorMessage(document: unknown): string | null {
  const answer = asObject(document);
  if (answer === null) return null;
  for (const message of [readJsonApiError(answer), readNcbiError(answer), readStatusError(answer)]) {
    if (message !== null) return message.slice(0, 300);
  }
  return null;
}

/**
 * Reads the error message of JSON:API and similar formats. The field is `errors` (a list, an object or a text) or
 * `error`.
 */
function readJsonApiError(answer: unknown): string | null {
  const errors = at(answer, "errors");
  const first = Array.isArray(errors) ? errors[0] : errors;
  if (errors !== undefined && (at(answer, "data") ?? null) === null) {
    return (
      firstText(first, at(first, "title"), at(first, "detail"), at(first, "message")) ?? "an error without a message"
    );
  }
  const error = at(answer, "error");
  if (error === undefined || error === null || error === false) return null;
  return (
    firstText(at(answer, "error_description"), at(answer, "description"), error, at(error, "message")) ?? "an error"
  );
}

/** Reads the error message of NCBI, which sends errors with status 200. */
function readNcbiError(answer: unknown): string | null {
  const summary = at(answer, "esummaryresult");
  const first = Array.isArray(summary) ? summary[0] : null;
  return firstText(at(answer, "esearchresult", "ERROR"), at(answer, "einforesult", "ERROR"), first);
}

function readStatusError(answer: unknown): string | null {
  const message = firstText(
    at(answer, "message"),
    at(answer, "title"),
    at(answer, "detail"),
    at(answer, "user-message"),
    at(answer, "developer-message"),
  );
  const status = at(answer, "status") ?? at(answer, "response-code") ?? at(answer, "code");
  if (message === null) return status === "ERROR" ? "an error without a message" : null;
  if (typeof status === "number" || status === "ERROR" || status === "error") return `${status}: ${message}`;
  return at(answer, "message") !== undefined && at(answer, "id") === undefined ? message : null;
}
