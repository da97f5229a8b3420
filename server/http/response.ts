/** The response of a handler as data, and the only function that sends it. */

import { hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from "node:zlib";
import compress from "@fastify/compress";
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from "fastify";
import { makePagination, pageText } from "../../api-static/pages/read-page.ts";
import { isMarkup, SANDBOX } from "../../api-static/routes/headers.ts";
import { CACHE, JSON_TYPE } from "../../api-static/routes/route.ts";
import type { AccountListQuery } from "../../schemas/public/account/list.ts";
import type { Pagination } from "../../schemas/public/api/common.ts";
import { buildProblem, PROBLEMS, type Problem, type ProblemType } from "../../schemas/public/problem.ts";
import type { Quota, QuotaName } from "./quotas.ts";

/** Part of an open file; the sender closes it. */
export interface FileRange {
  readonly file: FileHandle;
  readonly start: number;
  readonly length: number;
}

/** A body that is made while it is sent, as text or bytes. */
export type BodyChunks = AsyncGenerator<string | Uint8Array, void, undefined>;

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | FileRange | BodyChunks | null;
  /** A compressed form of the same body. Only cached responses have it. */
  readonly compressed?: CompressedBody;
}

export interface ContentResponse extends HttpResponse {
  readonly body: Uint8Array;
}

/** Returns a 200 response from a complete body. `etag` can be given if known. */
export function contentResponse(
  body: Uint8Array,
  contentType: string,
  cache: string,
  etag = makeEtag(body),
): ContentResponse {
  return { status: 200, headers: { ...contentHeaders(contentType, cache), etag }, body };
}

/** Returns the headers that describe a body, whole or in part. */
export function contentHeaders(contentType: string, cache: string): Record<string, string> {
  return {
    "content-type": contentType,
    "cache-control": cache,
    ...(isMarkup(contentType) ? { "content-security-policy": SANDBOX } : {}),
  };
}

/** Redirects to a path and query of this server, permanently by default. */
export function redirectResponse(location: string, cache: string, status: 307 | 308 = 308): HttpResponse {
  // The parser encodes the path as ASCII, as a header requires.
  const { pathname, search } = new URL(location, "http://localhost");
  // A browser takes the start of `//host/` for another host.
  return { status, headers: { location: pathname.replace(/^\/+/, "/") + search, "cache-control": cache }, body: null };
}

/** Redirects to any location, which the client fetches with GET (RFC 9110, 15.4.4). */
export function seeOther(location: string): HttpResponse {
  return { status: 303, headers: { location, "cache-control": CACHE.never }, body: null };
}

/**
 * Sends a response. The status is 304 if the client's copy is current, and a response to HEAD has no body. Returns a
 * promise only if the body is a stream or has to be compressed first.
 */
export function sendResponse(reply: FastifyReply, response: HttpResponse): Promise<void> | undefined {
  const { status, body } = response;
  const { etag } = response.headers;
  const fresh = status < 300 && etag !== undefined && isFresh(reply.request.headers["if-none-match"], etag);
  if (body !== null && !(body instanceof Uint8Array)) return sendStream(reply, response, body, fresh);
  if (!fresh) return sendBody(reply, response, body);
  sendNotModified(reply, response);
  return undefined;
}

function sendBody(
  reply: FastifyReply,
  { status, headers, compressed }: HttpResponse,
  body: Uint8Array | null,
): Promise<void> | undefined {
  const { method, headers: requestHeaders } = reply.request;
  const accepted = requestHeaders["accept-encoding"];
  reply.code(status).headers(headers);
  const send = (encoding: Encoding, bytes: Uint8Array) => {
    reply.removeHeader("content-length").header("content-encoding", encoding).send(bytes);
  };
  const cached = compressed?.for(accepted) ?? null;
  const compressWith =
    compressed === undefined && body !== null && method !== "HEAD" && COMPRESSIBLE.test(headers["content-type"] ?? "")
      ? encodingFor(accepted, body.length)
      : null;
  if (cached !== null) send(cached.encoding, cached.bytes);
  else if (compressWith !== null && body !== null)
    return compressOnce(body, compressWith).then((bytes) => send(compressWith, bytes));
  else reply.send(body ?? undefined);
  return undefined;
}

function sendNotModified(reply: FastifyReply, response: HttpResponse): void {
  const { "content-type": _type, "content-length": _length, ...rest } = response.headers;
  const { etag } = rest;
  // A 304 has the entity tag of the 200 (RFC 9110, 15.4.5).
  const weak = etag !== undefined && isSentCompressed(reply.request, response) ? { etag: `W/${etag}` } : {};
  reply
    .code(304)
    .headers({ ...rest, ...weak })
    .send();
}

/** True if the 200 would be compressed. False for quality values, which browsers do not send for encodings. */
function isSentCompressed({ method, headers: requestHeaders }: FastifyRequest, response: HttpResponse): boolean {
  const { headers, body } = response;
  const accepted = requestHeaders["accept-encoding"];
  if (!COMPRESSIBLE.test(headers["content-type"] ?? "")) return false;
  if (body instanceof Uint8Array) return encodingFor(accepted, body.length) !== null;
  // The plugin compresses a stream of any length. A response to HEAD has no stream.
  return method !== "HEAD" && encodingFor(accepted, Number.POSITIVE_INFINITY) !== null;
}

/** Sends a body that is read or made while it is sent. If the client needs no body, closes it without reading. */
async function sendStream(
  reply: FastifyReply,
  response: HttpResponse,
  body: FileRange | BodyChunks,
  fresh: boolean,
): Promise<void> {
  const { method } = reply.request;
  if (fresh) {
    await releaseBody(body);
    return sendNotModified(reply, response);
  }
  reply.code(response.status).headers(response.headers);
  if (!isBodyChunks(body)) reply.header("content-length", body.length);
  if (method === "HEAD" || (!isBodyChunks(body) && body.length === 0)) {
    await releaseBody(body);
    reply.send();
  } else if (isBodyChunks(body)) {
    reply.send(Readable.from(body));
  } else {
    reply.send(body.file.createReadStream({ start: body.start, end: body.start + body.length - 1 }));
  }
}

async function releaseBody(body: FileRange | BodyChunks): Promise<void> {
  await (isBodyChunks(body) ? body.return() : body.file.close());
}

function isBodyChunks(body: FileRange | BodyChunks): body is BodyChunks {
  return Symbol.asyncIterator in body;
}

type ByteRange =
  | { readonly kind: "whole" }
  | { readonly kind: "part"; readonly start: number; readonly length: number }
  | { readonly kind: "unsatisfiable" };

const ONE_RANGE = /^bytes=(\d{1,15})?-(\d{1,15})?$/;

/** Reads the header Range; `size` in bytes. Anything but a single byte range means the whole file. */
export function byteRange(header: string | undefined, size: number): ByteRange {
  const match = ONE_RANGE.exec(header?.trim() ?? "");
  if (match === null) return { kind: "whole" };
  const [, first, last] = match;
  if (first === undefined) return last === undefined ? { kind: "whole" } : suffix(Number(last), size);
  const start = Number(first);
  const end = Math.min(last === undefined ? size - 1 : Number(last), size - 1);
  if (last !== undefined && Number(last) < start) return { kind: "whole" };
  return start >= size ? { kind: "unsatisfiable" } : { kind: "part", start, length: end - start + 1 };
}

function suffix(suffixLength: number, size: number): ByteRange {
  const length = Math.min(suffixLength, size);
  return length === 0 ? { kind: "unsatisfiable" } : { kind: "part", start: size - length, length };
}

export function makeEtag(bytes: Uint8Array): string {
  return etagOfDigest(hash("sha256", bytes, "hex"), bytes.length);
}

/**
 * Returns the entity tag for the SHA-256 in hex and the length in bytes that a manifest states. It is the tag that
 * {@link makeEtag} gives to the bytes themselves. docs/packs.md documents the format.
 */
export function etagOfDigest(sha256: string, bytes: number): string {
  const start = Math.max(1, Number.parseInt(sha256.slice(0, 8), 16) >>> 1);
  return `"${start.toString(16)}-${bytes.toString(16)}"`;
}

/** True if If-None-Match matches the tag by weak comparison (RFC 9110, 13.1.2). Caches may have added `W/`. */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

export function jsonResponse(value: unknown, cache: string): ContentResponse {
  return contentResponse(Buffer.from(pageText(value)), JSON_TYPE, cache);
}

/**
 * Returns the response to a POST, which is not cached and has no entity tag. `more` are further headers, with names in
 * lower case.
 */
export function postResponse(
  status: number,
  value: unknown,
  more: Readonly<Record<string, string>> = {},
): HttpResponse {
  const { headers, body } = jsonResponse(value, CACHE.never);
  const { etag: _etag, ...rest } = headers;
  return { status, headers: { ...rest, ...more }, body };
}

export function privateResponse(value: unknown): HttpResponse {
  return jsonResponse(value, CACHE.never);
}

export function deletedResponse(): HttpResponse {
  return postResponse(200, { deleted: true });
}

export async function respond(value: Promise<object>): Promise<HttpResponse> {
  return privateResponse(await value);
}

export async function respondCreated(value: Promise<object>): Promise<HttpResponse> {
  return postResponse(201, await value);
}

export async function respondDeleted(work: Promise<void>): Promise<HttpResponse> {
  await work;
  return deletedResponse();
}

/** One part of a list of an account, with its pagination. */
export interface ListPart<Row> {
  readonly data: readonly Row[];
  readonly pagination: Pagination;
}

export function makeListPart<Row>(data: readonly Row[], total: number, query: AccountListQuery): ListPart<Row> {
  return { data, pagination: makePagination({ ...query, total }) };
}

export function computeOffset({ page, limit }: AccountListQuery): number {
  return (page - 1) * limit;
}

/**
 * Returns a body that calls `end` once, when all chunks were read or the client disconnects. A generator alone would
 * not notice a client that never reads.
 */
export function withEnd(pieces: BodyChunks, end: () => void): BodyChunks {
  let ended = false;
  const over = () => {
    if (!ended) end();
    ended = true;
  };
  const advance = async (next: Promise<IteratorResult<string | Uint8Array, void>>) => {
    try {
      const result = await next;
      if (result.done) over();
      return result;
    } catch (error) {
      over();
      throw error;
    }
  };
  const onDisconnect = async (leave: () => Promise<IteratorResult<string | Uint8Array, void>>) => {
    // Called first, because it aborts the work that the chunks wait for.
    over();
    return leave();
  };
  return {
    next: () => advance(pieces.next()),
    return: () => onDisconnect(() => pieces.return()),
    throw: (error: unknown) => onDisconnect(() => pieces.throw(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: () => onDisconnect(() => pieces.return()).then(() => {}),
  };
}

export interface UsedUpQuota {
  readonly name: QuotaName;
  readonly quota: Quota;
  readonly resetSeconds: number;
}

interface ProblemDetails {
  readonly errors?: Problem["errors"];
  /** Headers of the problem, such as Retry-After or Allow. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The quota that is used up, if the rate limits of limits.ts do not count it. */
  readonly usedUp?: UsedUpQuota;
}

/**
 * The error that is sent as a problem document. `detail` is public. It says what is wrong and what to do, but never
 * contains a path, a stack or SQL.
 */
export class ProblemError extends Error {
  readonly code = "ERR_PROBLEM";
  readonly type: ProblemType;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: Problem["errors"];
  readonly usedUp: UsedUpQuota | null;

  constructor(type: ProblemType, detail: string, { errors, headers = {}, usedUp }: ProblemDetails = {}) {
    super(detail);
    this.name = "ProblemError";
    this.type = type;
    this.headers = headers;
    this.errors = errors;
    this.usedUp = usedUp ?? null;
  }

  get status(): number {
    return PROBLEMS[this.type].status;
  }

  /** Returns the problem document; `instance` is the path of the request without its query. */
  document(instance: string): Problem {
    return buildProblem(this.type, this.message, instance, this.errors);
  }
}

/** Compresses responses. Add it before the routes: the plugin hooks into each new route. */
export async function addCompression(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    threshold: THRESHOLD_BYTES,
    encodings: [...ENCODINGS],
    brotliOptions: BROTLI_OPTIONS,
    customTypes: COMPRESSIBLE,
    // Request bodies are small and not compressed.
    globalDecompression: false,
  });
  // Runs after the plugin's own hook.
  app.addHook("onRoute", (route) => {
    route.onSend = [...[route.onSend ?? []].flat(), weakenEtag];
  });
}

const weakenEtag: onSendHookHandler = (_request, reply, payload, done) => {
  const etag = reply.getHeader("etag");
  const encoded = reply.hasHeader("content-encoding");
  if (encoded && typeof etag === "string" && !etag.startsWith("W/")) reply.header("etag", `W/${etag}`);
  done(null, payload);
};

const [brotli, gzipCompress] = [promisify(brotliCompress), promisify(gzip)];

/** Compresses a body in one piece, off the main thread. A compressing stream would take several times as long. */
function compressOnce(content: Uint8Array, encoding: Encoding): Promise<Uint8Array> {
  switch (encoding) {
    case "br":
      return brotli(content, BROTLI_OPTIONS);
    case "gzip":
      return gzipCompress(content);
    default:
      return encoding satisfies never;
  }
}

const COMPRESS = {
  br: (content: Uint8Array) => brotliCompressSync(content, BROTLI_OPTIONS),
  gzip: (content: Uint8Array) => gzipSync(content),
} as const satisfies Record<Encoding, (content: Uint8Array) => Uint8Array>;

/**
 * A cached body, compressed once for each encoding. Compressed responses have a weak entity tag, because their bytes
 * differ.
 */
export class CompressedBody {
  readonly #content: Uint8Array;
  readonly #made: Map<Encoding, Uint8Array>;

  /**
   * `brotli` is the body compressed by a build, at a level that would take seconds on request. Null to compress the
   * body at its first request.
   */
  constructor(content: Uint8Array, brotli: Uint8Array | null = null) {
    this.#content = content;
    this.#made = new Map(brotli === null ? [] : [["br", brotli]]);
  }

  /**
   * Returns the compressed body for the header Accept-Encoding. Null if the client accepts none of the encodings or
   * gives quality values, or if the body is short.
   */
  for(accepted: string | undefined): { readonly encoding: Encoding; readonly bytes: Uint8Array } | null {
    const encoding = encodingFor(accepted, this.#content.length);
    if (encoding === null) return null;
    const bytes = this.#made.get(encoding) ?? COMPRESS[encoding](this.#content);
    this.#made.set(encoding, bytes);
    return { encoding, bytes };
  }
}

const ENCODINGS = ["br", "gzip"] as const;
type Encoding = (typeof ENCODINGS)[number];

/** Size in bytes below which responses are not compressed, because they fit into one packet. */
const THRESHOLD_BYTES = 1024;

/** The level of Brotli. Higher levels cost more time than their smaller responses save. */
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } } as const;

function encodingFor(accepted: string | undefined, length: number): Encoding | null {
  // The plugin handles quality values.
  if (accepted === undefined || length < THRESHOLD_BYTES || accepted.includes("=")) return null;
  const names = accepted.split(",").map((name) => name.trim());
  return ENCODINGS.find((each) => names.includes(each)) ?? null;
}

/** Content types worth compressing: those of the plugin, and JSON, NDJSON and Arrow. */
const COMPRESSIBLE =
  /^text\/(?!event-stream)|(?:\+|\/|\/x-nd)json(?:;|$)|(?:\+|\/)text(?:;|$)|(?:\+|\/)xml(?:;|$)|octet-stream(?:;|$)|\/vnd\.apache\.arrow\.stream$/u;
