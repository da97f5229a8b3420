/** A client that goes away is its own affair: no fault of ours, and nothing to look into. */

import type { FastifyRequest } from "fastify";

/** What Node says of a connection the other side has ended, while a body came or an answer went. */
const ENDED = new Set(["ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE", "ECONNABORTED"]);

/** True where an error is that the client of this request has gone. */
export function clientLeft(error: unknown, request: FastifyRequest): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return ENDED.has(code) && request.raw.socket.destroyed;
}
