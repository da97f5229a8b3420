/**
 * Reads the body of a request by its schema. If the body is invalid, the response is 400 and names every invalid field.
 */

import { setImmediate } from "node:timers/promises";
import { parseString } from "fast-csv";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { BodyKind, Route } from "../../api-static/routes/route.ts";
import { getErrorMessage } from "../../pipeline/stage/effects.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import { ProblemError } from "./response.ts";

/**
 * Reads a body by its schema. `null` in an optional field means that the field is absent.
 * @throws ProblemError `invalid-body`
 */
export function readBody<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  const parsed = schema.safeParse(schema instanceof z.ZodObject ? withoutNulls(schema, body) : body);
  if (parsed.success) return parsed.data;
  throw malformedBody(parsed.error.issues.map(bodyFault));
}

function bodyFault({ code, path, message }: z.core.$ZodIssue): NonNullable<Problem["errors"]>[number] {
  // Zod's own message would say that it "expected object".
  if (path.length === 0 && code === "invalid_type") return { path: "", message: "must be a JSON object" };
  return { path: path.map(String).join("."), message };
}

function withoutNulls({ shape }: z.ZodObject, body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  // Every object inherits "constructor", so check own properties only.
  const isAbsent = ([name, value]: [string, unknown]) =>
    value === null && Object.hasOwn(shape, name) && shape[name]?.safeParse(undefined).success;
  return Object.fromEntries(Object.entries(body).filter((member) => !isAbsent(member)));
}

/**
 * Makes the problem of an invalid body. `faults` has the messages by field; an empty field name means the whole body.
 */
export function malformedBody(faults: NonNullable<Problem["errors"]>): ProblemError {
  // Only reports the first fault of each field, because the others often follow from it.
  const errors = faults.filter(({ path }, i) => faults.findIndex((fault) => fault.path === path) === i);
  const named = errors.map(({ path, message }) => (path === "" ? `the body ${message}` : `${path}: ${message}`));
  return new ProblemError("invalid-body", `The request is malformed: ${named.join("; ")}.`, { errors });
}

/** Content types of each kind of body, except JSON, which Fastify reads. */
const TYPES: Readonly<Record<Exclude<BodyKind, "json">, readonly string[]>> = {
  form: ["application/x-www-form-urlencoded", "multipart/form-data"],
  document: [
    ...["application/json", "application/xml", "text/xml", "application/yaml"],
    ...["text/plain", "application/octet-stream"],
  ],
};

/** Returns the content types of bodies that a route reads. */
export function bodyTypes({ bodyKind, listField }: Route): readonly string[] {
  if (bodyKind !== "json") return TYPES[bodyKind];
  return ["application/json", ...(listField === null ? [] : LIST_TYPES)];
}

/** Content types of a list without JSON. */
const LIST_TYPES = ["text/csv", "text/plain"];

/** Rejects a compressed body before it is read, because otherwise it would be reported as invalid JSON. */
export function rejectCompressed(
  { headers }: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const { "content-encoding": coding = "identity" } = headers;
  if (coding.toLowerCase() === "identity") done();
  else {
    const detail =
      "The body is compressed, which is not supported. Send it as it is, without the header Content-Encoding.";
    done(new ProblemError("unsupported-media-type", detail, { headers: { "accept-encoding": "identity" } }));
  }
}

export function readBodies(scope: FastifyInstance, { bodyKind: kind, listField }: Route): FastifyInstance {
  if (listField !== null) {
    scope.addContentTypeParser(LIST_TYPES, { parseAs: "string" }, async ({ headers }: TypedHeaders, body: string) => ({
      [listField.name]: await identifiersIn(body, /^text\/csv/i.test(headers["content-type"] ?? "")),
    }));
  }
  if (kind === "json") return scope;
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    [...TYPES[kind]],
    { parseAs: "buffer" },
    async ({ headers }: TypedHeaders, body: Buffer) =>
      kind === "form" ? fieldsIn(body, headers["content-type"] ?? "") : body,
  );
  return scope;
}

/** Matches the header of a column of identifiers, such as `doi` or `IDs`. */
const HEADER = /^(?:dois?|ids?|identifiers?|urls?|pids?)$/i;

/**
 * Returns the identifiers in a text: the cells of the first column if it is CSV, and otherwise its lines. A header and
 * empty lines are left out.
 * @throws ProblemError `invalid-body` for invalid CSV
 */
export async function identifiersIn(text: string, isCsv: boolean): Promise<string[]> {
  const cells = isCsv ? await firstColumn(text) : text.split(/\r\n|\r|\n/).map((line) => line.trim());
  const [first = "", ...rest] = cells;
  return (HEADER.test(first) ? rest : cells).filter((cell) => cell !== "");
}

/**
 * Returns the first column of a CSV text.
 * @throws ProblemError `invalid-body` for invalid CSV
 */
async function firstColumn(text: string): Promise<string[]> {
  const cells: string[] = [];
  const rows = parseString<string[], string[]>(text.replace(/^\uFEFF/, ""), { headers: false, ignoreEmpty: true });
  try {
    for await (const row of rows) cells.push(String((row as string[])[0] ?? "").trim());
  } catch (error) {
    throw malformedBody([{ path: "", message: `is not valid CSV: ${getErrorMessage(error)}` }]);
  }
  return cells;
}

interface TypedHeaders {
  readonly headers: { readonly "content-type"?: string | undefined };
}

/**
 * Returns the fields of a form, whether it is sent as URL parameters or in parts.
 * @throws ProblemError `invalid-body`
 */
async function fieldsIn(body: Buffer, type: string): Promise<Readonly<Record<string, string>>> {
  const fields = await formFields(body, type);
  if ("fault" in fields) throw malformedBody([{ path: "", message: fields.fault }]);
  return Object.fromEntries(fields);
}

/** Largest number of fields in one form; the site's forms have fewer. */
const MAX_FIELDS = 100;

/** Largest number of bytes in the header lines of one part of a form. */
const MAX_HEAD_BYTES = 4096;

/** Maximum length of a boundary (RFC 2046, 5.1.1). */
const MAX_BOUNDARY_LENGTH = 70;

/**
 * Number of bytes of a form that are read before the server turns to other requests, because a form with a draft has up
 * to 10 MB.
 */
const SLICE = 256 * 1024;

type FormFields = ReadonlyMap<string, string>;

/**
 * Returns the fields of a form by name, or the reason why the form is invalid. The value of a file is its text. If a
 * name is repeated, the first value counts.
 */
async function formFields(body: Buffer, type: string): Promise<FormFields | { readonly fault: string }> {
  const pieces = /^multipart\//i.test(type) ? parts(body, boundaryIn(type)) : pairs(body);
  const fields = new Map<string, string>();
  let count = 0;
  for await (const piece of pieces) {
    if (piece === null)
      return { fault: "is not a valid form; send it as application/x-www-form-urlencoded or multipart/form-data" };
    count += 1;
    if (count > MAX_FIELDS) return { fault: `has more than ${MAX_FIELDS} fields, the limit for a form` };
    const [name, value] = piece;
    if (!fields.has(name)) fields.set(name, value);
  }
  return fields;
}

type FormPiece = readonly [name: string, value: string];

const [AND, EQUALS, PLUS, PERCENT, SPACE] = [0x26, 0x3d, 0x2b, 0x25, 0x20];

/** Yields the name and value of each pair between ampersands. Empty pairs are left out. */
async function* pairs(body: Buffer): AsyncGenerator<FormPiece> {
  for (let at = 0; at < body.length; at += 1) {
    if (body[at] === AND) continue;
    const next = body.indexOf(AND, at);
    const end = next < 0 ? body.length : next;
    const equals = body.subarray(at, end).indexOf(EQUALS);
    const middle = equals < 0 ? end : at + equals;
    const [name, value] = [body.subarray(at, middle), body.subarray(Math.min(middle + 1, end), end)];
    yield [await decodeText(decoded(name)), await decodeText(decoded(value))];
    at = end;
  }
}

/** Decodes a value of a form in slices. A percent sign without two hex digits is left unchanged. */
function* decoded(bytes: Buffer): Generator<Uint8Array> {
  const slice = Buffer.alloc(Math.min(bytes.length, SLICE));
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const escaped = byte === PERCENT ? 16 * parseHexDigit(bytes[at + 1]) + parseHexDigit(bytes[at + 2]) : Number.NaN;
    if (Number.isNaN(escaped)) slice[length] = byte === PLUS ? SPACE : byte;
    else {
      slice[length] = escaped;
      at += 2;
    }
    length += 1;
    if (length === SLICE) {
      yield slice;
      length = 0;
    }
  }
  yield slice.subarray(0, length);
}

function parseHexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}

/** Yields the fields of a multipart form. Yields null and ends at the first part that is invalid. */
async function* parts(body: Buffer, boundary: string | null): AsyncGenerator<FormPiece | null> {
  if (boundary === null) {
    yield null;
    return;
  }
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const first = delimiter.subarray(2);
  let at = body.subarray(0, first.length).equals(first) ? first.length : -1;
  while (at >= 0) {
    if (body.subarray(at, at + 2).toString("latin1") === "--") return;
    const head = body.subarray(at, at + MAX_HEAD_BYTES).indexOf("\r\n\r\n");
    const from = at + head + 4;
    const end = head < 0 ? -1 : await findBytes(body, delimiter, from);
    const name = end < 0 ? null : nameIn(await decodeText([body.subarray(at, at + head)]));
    if (name === null) break;
    yield [name, await decodeText(slices(body.subarray(from, end)))];
    at = end + delimiter.length;
  }
  yield null;
}

function boundaryIn(type: string): string | null {
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(type.slice(0, 1000));
  const text = boundary?.[1] ?? boundary?.[2] ?? "";
  return text === "" || text.length > MAX_BOUNDARY_LENGTH ? null : text;
}

/**
 * Returns the field name in the header of a part; null if there is none. Browsers escape a quotation mark in a name as
 * %22, and no field name of the site has a semicolon, so simple splitting is enough.
 */
function nameIn(head: string): string | null {
  const line = head.split("\r\n").find((each) => each.toLowerCase().startsWith("content-disposition:")) ?? "";
  const parameter = line.split(";").find((each) => each.trim().toLowerCase().startsWith('name="')) ?? "";
  const [, name = null, end] = parameter.split('"');
  return end === undefined ? null : name;
}

async function findBytes(body: Buffer, delimiter: Buffer, from: number): Promise<number> {
  for (let at = from; at < body.length; at += SLICE) {
    const found = body.subarray(at, at + SLICE + delimiter.length - 1).indexOf(delimiter);
    if (found >= 0) return at + found;
    await setImmediate();
  }
  return -1;
}

function* slices(bytes: Buffer): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE) yield bytes.subarray(at, at + SLICE);
}

/** Decodes UTF-8 in slices. Other requests get their turn after each slice. */
async function decodeText(bytes: Iterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (const slice of bytes) {
    text += decoder.decode(slice, { stream: true });
    if (slice.length === SLICE) await setImmediate();
  }
  return text + decoder.decode();
}

/** Removes the content type of an empty body, so that Fastify does not look for a body. */
export function ignoreTypeOfNothing({ headers }: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { "content-length": length = "0", "transfer-encoding": transfer } = headers;
  if (length === "0" && transfer === undefined) delete headers["content-type"];
  done();
}
