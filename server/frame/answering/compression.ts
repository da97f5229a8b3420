/** Answers compressed for clients that take it. What is compressed has a weak tag: its bytes differ from the page's. */

import compress from "@fastify/compress";
import type { FastifyInstance, onSendHookHandler } from "fastify";
import { BROTLI_OPTIONS, COMPRESSIBLE, ENCODINGS, THRESHOLD_BYTES } from "./encodings.ts";

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
