/** Fastify as this service needs it: our bounds, our log, our problem documents, and nothing a client can put into them. */

import { randomUUID } from "node:crypto";
import { METHODS, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import { badgeRefusal } from "../../api-static/pages/badge.ts";
import { pageText } from "../../api-static/pages/read-page.ts";
import { OWN_SITE_HEADERS, RETRACTED, SANDBOX, SHARED_HEADERS } from "../../api-static/routes/headers.ts";
import { decoded, LARGEST_BODY, SVG_TYPE } from "../../api-static/routes/route.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { type Problem, type ProblemType, problemOf } from "../../schemas/public/problem.ts";
import { isStoreFault } from "../accounts/database.ts";
import { prefersHtml } from "./content-negotiation.ts";
import { lookUpInstead, targetOf } from "./read-request.ts";
import { type Answer, ProblemError } from "./response.ts";
import { clientLeft } from "./routes.ts";

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
      // Node would answer without a body; `refuseMalformed` explains the error.
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
      // Queries are read by routes.ts.
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

const PROBLEM: Readonly<Record<string, readonly [ProblemType, string]>> = {
  HPE_HEADER_OVERFLOW: ["headers-too-large", "The headers of a request may have 16 KiB together."],
  ERR_HTTP_REQUEST_TIMEOUT: ["request-timeout", "The request did not arrive within half a minute."],
};

const UNREADABLE = ["invalid-request", "What arrived is no HTTP request."] as const;

/** An answer to HEAD has no body, readable request or not. */
const HEAD = "HEAD ";

/**
 * Milliseconds in which a client may read why it is sent away. Then the connection is closed, whatever it goes on sending:
 * a body a letter a minute would hold it for ever.
 */
const LINGERING = 2000;

type Unreadable = NodeJS.ErrnoException & { readonly rawPacket?: unknown };

/** The answer to what is no HTTP request at all: a problem document and the end. There is no request to answer, and nothing of it is logged. */
function refuseUnreadable(error: Unreadable, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [type, detail] = PROBLEM[error.code ?? ""] ?? UNREADABLE;
  const problem = problemOf(type, detail, "/");
  const body = pageText(problem);
  setTimeout(() => socket.destroy(), LINGERING).unref();
  const received = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString("latin1", 0, HEAD.length) : "";
  const sent = received === HEAD ? "" : body;
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      "Connection: close",
      "Content-Type: application/problem+json",
      "Cache-Control: no-store",
      ...Object.entries(SHARED_HEADERS).map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      sent,
    ].join("\r\n"),
  );
}

export interface DrainOptions {
  /** How long requests are answered 503 before the port closes, so that a load balancer sees it on /health first. */
  readonly noticeMilliseconds: number;
  /** How long running requests may take; connections still open then are cut. */
  readonly graceMilliseconds: number;
}

/** How often connections that have become idle are closed. */
const SWEEP_MILLISECONDS = 20;

/** As many sweeps nobody may have come before the port is closed: on a busy machine one may pass without a turn of the loop. */
const QUIET_SWEEPS = 5;

/** Closes the server once its requests are done, at the latest when the grace is over. */
export async function drain(
  app: FastifyInstance,
  { noticeMilliseconds, graceMilliseconds }: DrainOptions,
  { sleep }: Pick<Effects, "sleep">,
): Promise<void> {
  if (noticeMilliseconds > 0) await sleep(noticeMilliseconds);
  let waited = await untilNobodyComes(app, graceMilliseconds, sleep);
  let closed = false;
  const closing = app.close().finally(() => {
    closed = true;
  });
  for (; !closed; waited += SWEEP_MILLISECONDS) {
    if (waited >= graceMilliseconds) app.server.closeAllConnections();
    // A connection whose answer has just gone out would otherwise stay open for its keep-alive time.
    else app.server.closeIdleConnections();
    await Promise.race([closing, sleep(SWEEP_MILLISECONDS)]);
  }
  await closing;
}

/**
 * Waits for those who are connected and not yet accepted (one a turn of the event loop): closing the port resets them.
 * Answers how long it took of the grace, in milliseconds.
 */
async function untilNobodyComes(
  app: FastifyInstance,
  graceMilliseconds: number,
  sleep: Effects["sleep"],
): Promise<number> {
  let came = 0;
  const count = () => {
    came += 1;
  };
  app.server.on("connection", count);
  let waited = 0;
  for (let quiet = 0; quiet < QUIET_SWEEPS && waited < graceMilliseconds; waited += SWEEP_MILLISECONDS) {
    const before = came;
    await sleep(SWEEP_MILLISECONDS);
    quiet = came === before ? quiet + 1 : 0;
  }
  app.server.off("connection", count);
  return waited;
}

/** The state that hooks look at. */
export interface ServerState {
  draining: boolean;
  /** Charges a request to its caller; null until the limits are added. */
  count: ((request: FastifyRequest, reply: FastifyReply) => Promise<void>) | null;
  /** Makes pages of problems; null where only programs are answered. */
  page: ProblemPage | null;
  /** Whether a release was withdrawn, by its digest. */
  isRetracted: (digest: string) => boolean;
}

/** First of all hooks, so that refusals have these too. */
export function addCommonHeaders(app: FastifyInstance): void {
  // Hooks that wait for nothing call back: a promise each would be a tenth of what a page costs.
  app.addHook("onRequest", (_request, reply, done) => {
    setCommonHeaders(reply);
    done();
  });
}

function setCommonHeaders(reply: FastifyReply): void {
  // Fastify has found the route by now, if there is one.
  const shared = reply.request.routeOptions?.config?.ownSite === true ? OWN_SITE_HEADERS : SHARED_HEADERS;
  reply.headers({ ...shared, "x-request-id": reply.request.id });
}

/** Refuses what leads nowhere and what comes too late; turns every error into a problem document. */
export function addHooks(app: FastifyInstance, state: ServerState): void {
  app.addHook("onRequest", (request, _reply, done) => {
    if (state.draining) {
      const headers = { "retry-after": "1", connection: "close" };
      done(new ProblemError("draining", "This server is shutting down; ask again.", { headers }));
    } else {
      // Before any body is looked at.
      done(request.is404 || hasEmptyKey(request) ? nothingHere(request) : undefined);
    }
  });
  // An answer that began before the server was asked to stop is the last of its connection.
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (state.draining) reply.header("connection", "close");
    const release = reply.getHeader("share-release");
    if (typeof release === "string" && state.isRetracted(release)) reply.headers(RETRACTED);
    done(null, payload);
  });
  app.setErrorHandler((error, _request, reply) => sendProblem(reply, error, state.page));
  app.setNotFoundHandler((request, reply) => sendProblem(reply, nothingHere(request), state.page));
}

/** Answers a path that cannot be decoded: it leads nowhere, and counts like any other. */
export function refuseUndecodable(state: ServerState) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    setCommonHeaders(reply);
    const counted = state.count?.(request, reply) ?? Promise.resolve();
    counted
      .then(
        () => sendProblem(reply, nothingHere(request), state.page),
        (error: unknown) => sendProblem(reply, error, state.page),
      )
      .finally(() => logRequest(request, reply));
  };
}

/** Whether the path ends where its key should begin: `/records/` is neither a list nor a record, whatever its query. */
function hasEmptyKey({ params }: FastifyRequest): boolean {
  return Object.values(params ?? {}).includes("");
}

function nothingHere({ url }: Pick<FastifyRequest, "url">): ProblemError {
  const said = "There is nothing at this address; the index at / lists where to begin.";
  const instead = lookUpInstead(namedBelowRecords(url));
  return new ProblemError("not-found", instead === null ? said : `${said} ${instead}`);
}

/** A DOI has slashes in it, and so leads past the address of a dataset; empty where nobody looked for one. */
function namedBelowRecords(url: string): string {
  const [, named = ""] = /^\/records\/([^?]+)/.exec(url) ?? [];
  return decoded(named) ?? "";
}

class RequestLog extends LogController {
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
function logRequest(request: FastifyRequest, reply: FastifyReply): void {
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

/** A 404 may be cached for a minute, other errors and what is said to one person never. */
const NOT_FOUND_CACHE = "public, max-age=60";

/** What of a refused request decides its page. */
export interface Refused {
  readonly problem: Problem;
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** Seconds, as the header Retry-After says them. */
  readonly retryAfter: string | undefined;
  readonly referer: string | undefined;
}

/** Makes a page of a problem, for who asks with a browser. */
export type ProblemPage = (refused: Refused) => Answer;

/** `page`: null where only programs are answered. */
export function sendProblem(reply: FastifyReply, error: unknown, page: ProblemPage | null = null): FastifyReply {
  const { request } = reply;
  const problem = error instanceof ProblemError ? error : (bodyProblem(error) ?? internal(reply, error));
  const ownSite = request.routeOptions?.config?.ownSite === true;
  const { status, headers, body } = contentOf(problem, request, page);
  const cache = problem.status === 404 && !ownSite ? NOT_FOUND_CACHE : "no-store";
  return reply
    .code(status)
    .headers({ ...problem.headers, ...headers, "cache-control": cache })
    .send(body ?? undefined);
}

/** A document that says what is wrong; to who asked for a badge, a badge; to who asks with a browser, a page. */
function contentOf(problem: ProblemError, request: FastifyRequest, page: ProblemPage | null): Answer {
  const { method, headers } = request;
  const { path, target } = targetOf(request);
  const { status } = problem;
  const isRead = method === "GET" || method === "HEAD";
  const badge = isRead ? badgeRefusal(path, problem.type) : null;
  if (badge !== null) {
    const typed = { "content-type": SVG_TYPE, "content-security-policy": SANDBOX };
    return { status, headers: typed, body: Buffer.from(badge) };
  }
  const document = problem.document(path);
  // Only a form of the site posts from a page. A POST to the API is a program's, whatever it accepts.
  const isPage = isRead || request.routeOptions?.config?.site === true;
  if (page !== null && isPage && prefersHtml(request)) {
    const retryAfter = problem.headers["retry-after"];
    return page({ problem: document, method, target, retryAfter, referer: headers.referer });
  }
  return { status, headers: { "content-type": "application/problem+json" }, body: Buffer.from(pageText(document)) };
}

/** When a database that was away, or full, may be there again. */
const STORE_RETRY_SECONDS = "5";

/** What the framework says of a body it refuses, by the code of its error. */
const BODY_PROBLEMS: Readonly<Record<string, readonly [ProblemType, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    "body-too-large",
    "The body has more bytes than this address takes: 64 KiB mostly, 5 MiB for a draft.",
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ["unsupported-media-type", "Send the body as application/json."],
  FST_ERR_CTP_EMPTY_JSON_BODY: ["invalid-body", "The body is empty; it must be a JSON object."],
  FST_ERR_CTP_INVALID_JSON_BODY: ["invalid-body", "The body is not JSON."],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["invalid-body", "The body is not as long as the header Content-Length says."],
};

function bodyProblem(error: unknown): ProblemError | null {
  const known = BODY_PROBLEMS[codeOf(error)];
  return known === undefined ? null : new ProblemError(...known);
}

function internal(reply: FastifyReply, error: unknown): ProblemError {
  if (isStoreFault(error)) {
    // Its code alone: words and values of a statement are somebody's.
    reply.log.error({ code: codeOf(error) }, "accounts-unavailable");
    return new ProblemError("accounts-unavailable", "Accounts cannot be reached at the moment; try again.", {
      headers: { "retry-after": STORE_RETRY_SECONDS },
    });
  }
  if (clientLeft(error, reply.request)) {
    reply.log.info({ method: reply.request.method, route: reply.request.routeOptions?.url ?? null }, "client-left");
    return new ProblemError("invalid-body", "The body did not arrive.");
  }
  reply.log.error({ err: error }, "request-failed");
  return new ProblemError("internal", `Something failed; it is logged under the request id ${reply.request.id}.`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
