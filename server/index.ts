/** The server: the read API from the pages of the active release, and what stands around it. */

import { randomUUID } from "node:crypto";
import { METHODS, type Server } from "node:http";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply } from "fastify";
import type { Effects } from "../pipeline/effects.ts";
import type { Store } from "../pipeline/store.ts";
import { ActiveRelease, type FollowOptions } from "./active-release.ts";
import { addRoutes } from "./add-routes.ts";
import { refuseUnreadable } from "./client-error.ts";
import { addCompression } from "./compression.ts";
import { type DrainOptions, drain } from "./drain.ts";
import { addMetrics, operationsServer } from "./metrics.ts";
import { sendProblem } from "./problem-answer.ts";
import { ProblemError } from "./problem-error.ts";
import { logRequest, RequestLog } from "./request-log.ts";

export interface ServerOptions extends Partial<FollowOptions>, Partial<DrainOptions> {
  /** Anything with pino's interface, or false for silence. */
  readonly logger: FastifyBaseLogger | false;
  /** Addresses and networks of proxies whose X-Forwarded-For is believed; nobody's where there are none. */
  readonly trustProxy?: readonly string[];
}

const DEFAULTS = { pollMilliseconds: 1000, noticeMilliseconds: 0, graceMilliseconds: 10_000 } as const;

const EXPOSED =
  "ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, SHARE-Release, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, X-Total-Count";

/** Greatest body of a request, in bytes. */
const LARGEST_BODY = 64 * 1024;

/** Longer than any key: what a key may be is for the routes to say. */
const LONGEST_PARAMETER = 8192;

/** How long a client may take to send a request. */
const REQUEST_MILLISECONDS = 30_000;

export interface ShareServer {
  /** Ready to listen. */
  readonly app: FastifyInstance;
  /** Metrics and health for the operator; to listen where only they reach it, or not at all. */
  readonly operations: Server;
  /** Finishes what runs, answers 503 meanwhile, and lets go of the release. */
  close(): Promise<void>;
}

/**
 * A server of the release that `current` names, now and whenever it moves. Without one it answers 503 until there is.
 */
export async function createServer(
  store: Store,
  options: ServerOptions,
  effects: Pick<Effects, "now" | "sleep">,
): Promise<ShareServer> {
  const settings = { ...DEFAULTS, ...options };
  const app = fastify(options);
  const log: Effects["log"] = ({ level, event, ...details }) => app.log[level](details, event);
  const active = await ActiveRelease.follow(store, settings, { sleep: effects.sleep, log });
  const state = { draining: false };
  addHooks(app, state);
  addCompression(app);
  const operations = operationsServer(addMetrics(app, active));
  addRoutes(app, { store, active, now: effects.now });
  let closing: Promise<void> | null = null;
  const close = async () => {
    state.draining = true;
    await drain(app, settings, effects);
    operations.close();
    await active.close();
  };
  return {
    app,
    operations,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function fastify({ logger, trustProxy = [] }: ServerOptions): FastifyInstance {
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
    requestTimeout: REQUEST_MILLISECONDS,
    clientErrorHandler: refuseUnreadable,
    exposeHeadRoutes: false,
    routerOptions: {
      maxParamLength: LONGEST_PARAMETER,
      // Queries are read by read-query.ts.
      querystringParser: () => ({}),
    },
    // A path that cannot be decoded leads nowhere.
    frameworkErrors: (_error, request, reply) => {
      setCommonHeaders(reply);
      sendProblem(reply, nothingHere());
      logRequest(request, reply);
    },
  });
  for (const method of METHODS) {
    if (method !== "CONNECT" && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  return app;
}

function addHooks(app: FastifyInstance, state: { readonly draining: boolean }): void {
  app.addHook("onRequest", async (request, reply) => {
    setCommonHeaders(reply);
    if (state.draining) {
      const headers = { "retry-after": "1", connection: "close" };
      throw new ProblemError("draining", "This server is shutting down; ask again.", { headers });
    }
    // Before any body is looked at.
    if (request.is404) throw nothingHere();
  });
  // An answer that began before the server was asked to stop is the last of its connection.
  app.addHook("onSend", async (_request, reply) => {
    if (state.draining) reply.header("connection", "close");
  });
  app.setErrorHandler((error, _request, reply) => sendProblem(reply, error));
  app.setNotFoundHandler((_request, reply) => sendProblem(reply, nothingHere()));
}

function nothingHere(): ProblemError {
  return new ProblemError("not-found", "There is nothing at this address; the index at / lists where to begin.");
}

function setCommonHeaders(reply: FastifyReply): void {
  reply.headers({
    "x-request-id": reply.request.id,
    "x-content-type-options": "nosniff",
    "access-control-allow-origin": "*",
    "access-control-expose-headers": EXPOSED,
    // Spelt as the compression plugin looks for it.
    vary: "Accept, accept-encoding",
  });
}
