/**
 * The server's log lines: one a request, without personal data. No address, no key of a path (a slug is a name), no value
 * of a parameter; Fastify's own lines hold all three.
 */

import { type FastifyReply, type FastifyRequest, LogController } from "fastify";
import { clientLeft } from "./client-left.ts";

export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    logRequest(request, reply);
    if (!error) return;
    if (clientLeft(error, request)) reply.log.info("client-left");
    else reply.log.warn({ err: error }, "request-broken-off");
  }

  override routeNotFound(): void {}

  override writeHeadError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.error({ err: error }, "request-failed");
  }
}

/** The line of one request. */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  reply.log.info(
    {
      method: request.method,
      route: request.routeOptions?.url ?? null,
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime * 10) / 10,
      release: reply.getHeader("share-release") ?? null,
    },
    "request",
  );
}
