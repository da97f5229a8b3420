/** Fastify as this service needs it: our bounds, our log, our problem documents, and nothing a client can put into them. */

import { randomUUID } from "node:crypto";
import { METHODS } from "node:http";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { LARGEST_BODY } from "../../api-static/routes/route.ts";
import { refuseUnreadable } from "./client-error.ts";
import { RequestLog } from "./request-log.ts";

/** Longer than any key: what a key may be is for the routes to say. */
const LONGEST_PARAMETER = 8192;

/** How long a client may take to send a request. */
const REQUEST_MILLISECONDS = 30_000;

/** A connection on which nothing moves for so long is closed: whoever never reads an answer would hold it for ever. */
const IDLE_MILLISECONDS = 120_000;

export interface FrameworkOptions {
  /** Anything with pino's interface, or false for silence. */
  readonly logger: FastifyBaseLogger | false;
  /** Addresses and networks of proxies whose X-Forwarded-For is believed; nobody's where there are none. */
  readonly trustProxy?: readonly string[];
  /** How long nothing may move on a connection. */
  readonly idleMilliseconds?: number;
  /** How long a request may take to arrive. */
  readonly requestMilliseconds?: number;
}

/** `refuse` answers what the framework itself gives up on: a path that cannot be decoded. No hook runs for it. */
export function fastify(
  {
    logger,
    trustProxy = [],
    idleMilliseconds = IDLE_MILLISECONDS,
    requestMilliseconds = REQUEST_MILLISECONDS,
  }: FrameworkOptions,
  refuse: (request: FastifyRequest, reply: FastifyReply) => void,
): FastifyInstance {
  const app = Fastify({
    ...(logger === false ? { logger } : { loggerInstance: logger }),
    logController: new RequestLog(),
    // Ids come from us alone: a client's header would end up in our log.
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    // Every 503 of ours is a problem document.
    return503OnClosing: false,
    trustProxy: trustProxy.length === 0 ? false : [...trustProxy],
    bodyLimit: LARGEST_BODY,
    requestTimeout: requestMilliseconds,
    connectionTimeout: idleMilliseconds,
    clientErrorHandler: refuseUnreadable,
    http: {
      // Node would answer without a body; malformed-request.ts says what is wrong.
      requireHostHeader: false,
      // The time of a head is a minute by itself, and Node takes the longer one of both for heads and bodies together.
      headersTimeout: requestMilliseconds,
      requestTimeout: requestMilliseconds,
      // How often Node looks who is late: by itself every half a minute, so that late would be twice as late.
      connectionsCheckingInterval: requestMilliseconds / 6,
    },
    // Members a client need not send are ignored, whatever their names; these two never reach an object of ours.
    onProtoPoisoning: "remove",
    onConstructorPoisoning: "remove",
    exposeHeadRoutes: false,
    routerOptions: {
      maxParamLength: LONGEST_PARAMETER,
      // Queries are read by read-query.ts.
      querystringParser: () => ({}),
    },
    frameworkErrors: (_error, request, reply) => refuse(request, reply),
  });
  for (const method of METHODS) {
    if (method !== "CONNECT" && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  // Bodies are JSON; the framework would take text as well.
  app.removeContentTypeParser("text/plain");
  return app;
}
