/** The server: the read API from the pages of the active release, and what stands around it. */

import { randomUUID } from "node:crypto";
import { METHODS } from "node:http";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { ROUTES } from "../api-static/routes.ts";
import type { Effects } from "../pipeline/effects.ts";
import type { Store } from "../pipeline/store.ts";
import { ActiveRelease, type FollowOptions } from "./active-release.ts";
import { type Answer, sendAnswer } from "./answer.ts";
import { refuseUnreadable } from "./client-error.ts";
import { type DrainOptions, drain } from "./drain.ts";
import { handlerOf } from "./handlers.ts";
import { sendProblem } from "./problem-answer.ts";
import { ProblemError } from "./problem-error.ts";
import { type ReadRequest, readRequest } from "./read-request.ts";
import { logRequest, RequestLog } from "./request-log.ts";
import type { ServerContext } from "./server-context.ts";

export interface ServerOptions extends Partial<FollowOptions>, Partial<DrainOptions> {
  /** Anything with pino's interface, or false for silence. */
  readonly logger: FastifyBaseLogger | false;
}

const DEFAULTS = { pollMilliseconds: 1000, noticeMilliseconds: 0, graceMilliseconds: 10_000 } as const;

const READ_METHODS = ["GET", "HEAD"];
const ALLOW = "GET, HEAD, OPTIONS";
const EXPOSED = "ETag, Link, Location, Retry-After, SHARE-Release, X-Request-Id";

/** Longer than any key: what a key may be is for the routes to say. */
const LONGEST_PARAMETER = 8192;

/** How long a client may take to send a request. */
const REQUEST_MILLISECONDS = 30_000;

export interface ShareServer {
  /** Ready to listen. */
  readonly app: FastifyInstance;
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
  const app = fastify(options.logger);
  const log: Effects["log"] = ({ level, event, ...details }) => app.log[level](details, event);
  const active = await ActiveRelease.follow(store, settings, { sleep: effects.sleep, log });
  const state = { draining: false };
  addHooks(app, state);
  addRoutes(app, { store, active, now: effects.now });
  let closing: Promise<void> | null = null;
  const close = async () => {
    state.draining = true;
    await drain(app, settings, effects);
    await active.close();
  };
  return {
    app,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function fastify(logger: FastifyBaseLogger | false): FastifyInstance {
  const app = Fastify({
    ...(logger === false ? { logger } : { loggerInstance: logger }),
    logController: new RequestLog(),
    // Ids come from us alone: a client's header would end up in our log.
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    // Every 503 of ours is a problem document.
    return503OnClosing: false,
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
    vary: "Accept",
  });
}

function addRoutes(app: FastifyInstance, context: ServerContext): void {
  for (const route of ROUTES) {
    const answer = handlerOf(route);
    addRead(app, route.path, (request) => answer(request, context));
  }
}

/** GET and HEAD of a path; OPTIONS says so, to browsers too, and every other method is 405. */
function addRead(app: FastifyInstance, path: string, answer: (request: ReadRequest) => Promise<Answer>): void {
  const url = path.replace(/\{file\}$/, "*").replace(/\{(\w+)\}/g, ":$1");
  const handler = async (request: FastifyRequest, reply: FastifyReply) =>
    sendAnswer(reply, await answer(readRequest(request)));
  app.route({ method: READ_METHODS, url, handler });
  app.options(url, async (_request, reply) =>
    reply
      .code(204)
      .headers({ allow: ALLOW, "access-control-allow-methods": ALLOW, "access-control-allow-headers": "*" })
      .send(),
  );
  const method = app.supportedMethods.filter((name) => ![...READ_METHODS, "OPTIONS"].includes(name));
  const refuse = async () => {
    throw new ProblemError("method-not-allowed", `This address answers ${ALLOW}.`, { headers: { allow: ALLOW } });
  };
  // Refused before its body is read.
  app.route({ method, url, onRequest: refuse, handler: refuse });
}
