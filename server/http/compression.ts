/** Answers compressed for clients that take it. What is compressed has a weak tag: its bytes differ from the page's. */

import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from "node:zlib";
import compress from "@fastify/compress";
import type { FastifyInstance, onSendHookHandler } from "fastify";

/** Before the routes: the plugin looks at each as it is added. */
export async function addCompression(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    threshold: THRESHOLD_BYTES,
    encodings: [...ENCODINGS],
    brotliOptions: BROTLI_OPTIONS,
    customTypes: COMPRESSIBLE,
    // Bodies of requests are small and come as they are.
    globalDecompression: false,
  });
  // Behind the plugin's own hook of the route.
  app.addHook("onRoute", (route) => {
    route.onSend = [...[route.onSend ?? []].flat(), weaken];
  });
}

const weaken: onSendHookHandler = (_request, reply, payload, done) => {
  const etag = reply.getHeader("etag");
  const encoded = reply.hasHeader("content-encoding");
  if (encoded && typeof etag === "string" && !etag.startsWith("W/")) reply.header("etag", `W/${etag}`);
  done(null, payload);
};

const [brotli, zipped] = [promisify(brotliCompress), promisify(gzip)];

/**
 * A content that is made for one answer, compressed whole and off the thread that answers: through a stream it takes a
 * multiple of the processor time.
 */
export function compressOnce(content: Uint8Array, encoding: Encoding): Promise<Uint8Array> {
  switch (encoding) {
    case "br":
      return brotli(content, BROTLI_OPTIONS);
    case "gzip":
      return zipped(content);
    default:
      return encoding satisfies never;
  }
}

const COMPRESS = {
  br: (content: Uint8Array) => brotliCompressSync(content, BROTLI_OPTIONS),
  gzip: (content: Uint8Array) => gzipSync(content),
} as const satisfies Record<Encoding, (content: Uint8Array) => Uint8Array>;

/** A content that is kept, compressed once for all who take it so. */
export class Compressed {
  readonly #content: Uint8Array;
  readonly #made = new Map<Encoding, Uint8Array>();

  constructor(content: Uint8Array) {
    this.#content = content;
  }

  /** `accepted`: the header Accept-Encoding. Null where the client takes none of them, or asks with more than names. */
  for(accepted: string | undefined): { readonly encoding: Encoding; readonly bytes: Uint8Array } | null {
    const encoding = encodingFor(accepted, this.#content.length);
    if (encoding === null) return null;
    const bytes = this.#made.get(encoding) ?? COMPRESS[encoding](this.#content);
    this.#made.set(encoding, bytes);
    return { encoding, bytes };
  }
}

const ENCODINGS = ["br", "gzip"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Smaller answers fit into one packet as they are. */
const THRESHOLD_BYTES = 1024;

/** Beyond this level an answer costs more time than it saves on the line. */
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } } as const;

/** The encoding of a content of so many bytes; null where the client takes none of ours, or asks with more than names. */
export function encodingFor(accepted: string | undefined, length: number): Encoding | null {
  // Preferences are weighed where contents are compressed on their way.
  if (accepted === undefined || length < THRESHOLD_BYTES || accepted.includes("=")) return null;
  const names = accepted.split(",").map((name) => name.trim());
  return ENCODINGS.find((each) => names.includes(each)) ?? null;
}

/** What gets smaller, by its type, as the plugin that compresses streams has it; rows, as JSON, one a line, or as Arrow, too. */
export const COMPRESSIBLE =
  /^text\/(?!event-stream)|(?:\+|\/|\/x-nd)json(?:;|$)|(?:\+|\/)text(?:;|$)|(?:\+|\/)xml(?:;|$)|octet-stream(?:;|$)|\/vnd\.apache\.arrow\.stream$/u;
