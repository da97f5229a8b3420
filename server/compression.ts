/** Answers compressed for clients that take it. What is compressed on the way has a weak tag: its bytes differ from the page's. */

import { constants } from "node:zlib";
import compress from "@fastify/compress";
import type { FastifyInstance } from "fastify";

/** Smaller answers fit into one packet as they are. */
const THRESHOLD_BYTES = 1024;

/** Beyond this level an answer costs more time than it saves on the line. */
const BROTLI_QUALITY = 4;

export function addCompression(app: FastifyInstance): void {
  app.register(compress, {
    threshold: THRESHOLD_BYTES,
    encodings: ["br", "gzip"],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
    // Bodies of requests are small and come as they are.
    globalDecompression: false,
  });
}
