/** What a handler answers, as data; and the one place that puts it on the wire. */

import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { isMarkup, SANDBOX } from "../api-static/headers.ts";
import { etagOf, isFresh } from "./etag.ts";

/** Part of an open file; whoever sends it closes it. */
export interface FilePart {
  readonly file: FileHandle;
  readonly start: number;
  readonly length: number;
}

/** Text that is made while it is sent. */
export type TextPieces = AsyncGenerator<string, void, undefined>;

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | FilePart | TextPieces | null;
}

/** 200 with a whole content; `etag` where it is known already. */
export function contentAnswer(body: Uint8Array, contentType: string, cache: string, etag = etagOf(body)): Answer {
  return { status: 200, headers: { ...contentHeaders(contentType, cache), etag }, body };
}

/** What describes a content, whole or in part. */
export function contentHeaders(contentType: string, cache: string): Record<string, string> {
  return {
    "content-type": contentType,
    "cache-control": cache,
    ...(isMarkup(contentType) ? { "content-security-policy": SANDBOX } : {}),
  };
}

/** 308 to a path and query of this server. */
export function redirectAnswer(location: string, cache: string): Answer {
  // The parser writes whatever a client sent as the ASCII a header may carry.
  const { pathname, search } = new URL(location, "http://localhost");
  return { status: 308, headers: { location: pathname + search, "cache-control": cache }, body: null };
}

/** Sends an answer; 304 where the client has the content already, no body on HEAD. */
export async function sendAnswer(reply: FastifyReply, answer: Answer): Promise<FastifyReply> {
  const { method, headers } = reply.request;
  const etag = answer.headers.etag;
  if (answer.status < 300 && etag !== undefined && isFresh(headers["if-none-match"], etag)) {
    await closeBody(answer);
    const { "content-type": _type, "content-length": _length, ...kept } = answer.headers;
    return reply.code(304).headers(kept).send();
  }
  reply.code(answer.status).headers(answer.headers);
  if (answer.body === null || answer.body instanceof Uint8Array) return reply.send(answer.body ?? undefined);
  if (isPieces(answer.body)) {
    if (method !== "HEAD") return reply.send(Readable.from(answer.body));
    await answer.body.return();
    return reply.send();
  }
  const { file, start, length } = answer.body;
  reply.header("content-length", length);
  if (method === "HEAD" || length === 0) {
    await file.close();
    return reply.send();
  }
  return reply.send(file.createReadStream({ start, end: start + length - 1 }));
}

async function closeBody({ body }: Answer): Promise<void> {
  if (body === null || body instanceof Uint8Array) return;
  await (isPieces(body) ? body.return() : body.file.close());
}

function isPieces(body: FilePart | TextPieces): body is TextPieces {
  return Symbol.asyncIterator in body;
}
