/** The answer of a handler, as data; and the one place that puts it on the wire. */

import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { isMarkup, SANDBOX } from "../../../api-static/routes/headers.ts";
import { compressOnce } from "./compress-once.ts";
import type { Compressed } from "./compressed.ts";
import { COMPRESSIBLE, type Encoding, encodingFor } from "./encodings.ts";
import { etagOf, isFresh } from "./etag.ts";

/** Part of an open file; whoever sends it closes it. */
export interface FilePart {
  readonly file: FileHandle;
  readonly start: number;
  readonly length: number;
}

/** Text or bytes that are made while they are sent. */
export type Pieces = AsyncGenerator<string | Uint8Array, void, undefined>;

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | FilePart | Pieces | null;
  /** The same body, of what is kept and worth compressing. */
  readonly compressed?: Compressed;
}

/** An answer that is a whole content. */
export interface PageAnswer extends Answer {
  readonly body: Uint8Array;
}

/** 200 with a whole content; `etag` where it is known already. */
export function contentAnswer(body: Uint8Array, contentType: string, cache: string, etag = etagOf(body)): PageAnswer {
  return { status: 200, headers: { ...contentHeaders(contentType, cache), etag }, body };
}

/** The headers that describe a content, whole or in part. */
export function contentHeaders(contentType: string, cache: string): Record<string, string> {
  return {
    "content-type": contentType,
    "cache-control": cache,
    ...(isMarkup(contentType) ? { "content-security-policy": SANDBOX } : {}),
  };
}

/** To a path and query of this server: for good, or for now. */
export function redirectAnswer(location: string, cache: string, status: 307 | 308 = 308): Answer {
  // The parser writes whatever a client sent as the ASCII a header may carry.
  const { pathname, search } = new URL(location, "http://localhost");
  return { status, headers: { location: pathname + search, "cache-control": cache }, body: null };
}

/** Sends an answer; 304 where the client has the content already, no body on HEAD. Bytes are on their way on return. */
export function sendAnswer(reply: FastifyReply, answer: Answer): Promise<void> | undefined {
  const { status, body } = answer;
  const { etag } = answer.headers;
  const fresh = status < 300 && etag !== undefined && isFresh(reply.request.headers["if-none-match"], etag);
  if (body !== null && !(body instanceof Uint8Array)) return sendMade(reply, answer, body, fresh);
  if (!fresh) return sendWhole(reply, answer, body);
  sendFresh(reply, answer);
  return undefined;
}

function sendWhole(
  reply: FastifyReply,
  { status, headers, compressed }: Answer,
  body: Uint8Array | null,
): Promise<void> | undefined {
  const { method, headers: asked } = reply.request;
  const accepted = asked["accept-encoding"];
  reply.code(status).headers(headers);
  const send = (encoding: Encoding, bytes: Uint8Array) => {
    reply.removeHeader("content-length").header("content-encoding", encoding).send(bytes);
  };
  const taken = compressed?.for(accepted) ?? null;
  const made =
    compressed === undefined && body !== null && method !== "HEAD" && COMPRESSIBLE.test(headers["content-type"] ?? "")
      ? encodingFor(accepted, body.length)
      : null;
  if (taken !== null) send(taken.encoding, taken.bytes);
  else if (made !== null && body !== null) return compressOnce(body, made).then((bytes) => send(made, bytes));
  else reply.send(body ?? undefined);
  return undefined;
}

function sendFresh(reply: FastifyReply, { headers }: Answer): void {
  const { "content-type": _type, "content-length": _length, ...kept } = headers;
  reply.code(304).headers(kept).send();
}

/** A body that is read or made while it is sent, and has to be let go of where it is not. */
async function sendMade(reply: FastifyReply, answer: Answer, body: FilePart | Pieces, fresh: boolean): Promise<void> {
  const { method } = reply.request;
  if (fresh) {
    await letGo(body);
    return sendFresh(reply, answer);
  }
  reply.code(answer.status).headers(answer.headers);
  if (!isPieces(body)) reply.header("content-length", body.length);
  if (method === "HEAD" || (!isPieces(body) && body.length === 0)) {
    await letGo(body);
    reply.send();
  } else if (isPieces(body)) {
    reply.send(Readable.from(body));
  } else {
    reply.send(body.file.createReadStream({ start: body.start, end: body.start + body.length - 1 }));
  }
}

async function letGo(body: FilePart | Pieces): Promise<void> {
  await (isPieces(body) ? body.return() : body.file.close());
}

function isPieces(body: FilePart | Pieces): body is Pieces {
  return Symbol.asyncIterator in body;
}
