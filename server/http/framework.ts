/** Sets up Fastify with the limits, the log and the problem documents of this service. */

import { randomUUID } from "node:crypto";
import { type IncomingMessage, METHODS, type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import { errorBadge } from "../../api-static/pages/badge.ts";
import { pageText } from "../../api-static/pages/read-page.ts";
import { OWN_SITE_HEADERS, RETRACTED, SANDBOX, SHARED_HEADERS } from "../../api-static/routes/headers.ts";
import { decoded, MAX_BODY_BYTES, SVG_TYPE } from "../../api-static/routes/route.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { buildProblem, type Problem, type ProblemType } from "../../schemas/public/problem.ts";
import { prefersHtml } from "./content-negotiation.ts";
import { setLimitHeaders } from "./limits.ts";
import { lookUpHint, readTarget } from "./read-request.ts";
import { type HttpResponse, ProblemError } from "./response.ts";
import { isClientGone } from "./routes.ts";

/** Maximum length of a path parameter in the router. The routes themselves have lower limits. */
const MAX_PARAMETER_LENGTH = 8192;

const REQUEST_MILLISECONDS = 30_000;

/**
 * Milliseconds after which idle connections are closed. Otherwise a client that never reads could occupy a connection
 * for ever.
 */
const IDLE_MILLISECONDS = 120_000;

export interface FrameworkOptions {
  readonly logger: FastifyBaseLogger | false;
  /** Addresses and networks of the proxies whose X-Forwarded-For is trusted; none by default. */
  readonly trustProxy?: readonly string[];
  readonly idleMilliseconds?: number;
  readonly requestMilliseconds?: number;
  /** Largest number of open connections from one IP address. */
  readonly addressConnections?: number;
  /** Returns the target by which a request is routed, for example the target without its language. */
  readonly rewriteTarget?: (target: string) => string;
}

/** Path without a route. Requests whose path Fastify rejects are routed to it, so that the hooks run for them too. */
const NO_ROUTE = "/.no-route";

export function fastify({
  logger,
  trustProxy = [],
  idleMilliseconds = IDLE_MILLISECONDS,
  requestMilliseconds = REQUEST_MILLISECONDS,
  addressConnections = MAX_CONNECTIONS.address,
  rewriteTarget = (target) => target,
}: FrameworkOptions): FastifyInstance {
  /** The targets of requests that were routed to NO_ROUTE. */
  const withoutRoute = new WeakMap<IncomingMessage, string>();
  const app: FastifyInstance = Fastify({
    ...(logger === false ? { logger } : { loggerInstance: logger }),
    logController: new RequestLog(),
    // A client's request ID would end up in the log.
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    // Fastify's own 503 is not a problem document.
    return503OnClosing: false,
    trustProxy: trustProxy.length === 0 ? false : [...trustProxy],
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: requestMilliseconds,
    connectionTimeout: idleMilliseconds,
    clientErrorHandler: rejectUnreadable,
    http: {
      // Node would respond without a body. `rejectMalformed` explains the error.
      requireHostHeader: false,
      // The default for headers is one minute. Node applies the longer of the two limits to headers and body together.
      headersTimeout: requestMilliseconds,
      requestTimeout: requestMilliseconds,
      // The default interval is 30 seconds, which would double the limit.
      connectionsCheckingInterval: requestMilliseconds / 6,
    },
    // Unknown fields are ignored. These two would change the prototype of an object.
    onProtoPoisoning: "remove",
    onConstructorPoisoning: "remove",
    exposeHeadRoutes: false,
    rewriteUrl: ({ url = "/" }: IncomingMessage) => rewriteTarget(url),
    routerOptions: {
      maxParamLength: MAX_PARAMETER_LENGTH,
      // routes.ts reads the query.
      querystringParser: () => ({}),
    },
    // The path cannot be decoded, or is too long. Fastify runs no hooks, and does not read X-Forwarded-For.
    frameworkErrors: (_error, { raw }, reply) => {
      withoutRoute.set(raw, raw.url ?? "/");
      raw.url = NO_ROUTE;
      app.routing(raw, reply.raw);
    },
  });
  app.addHook("onRequest", ({ raw }, _reply, done) => {
    const target = withoutRoute.get(raw);
    if (target !== undefined) raw.url = target;
    done();
  });
  addLeastRate(app, idleMilliseconds);
  // Behind a proxy, all clients share its address, and the proxy limits their connections.
  boundConnections(app.server, trustProxy.length === 0 ? addressConnections : Number.POSITIVE_INFINITY);
  for (const method of METHODS) {
    if (method !== "CONNECT" && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  // Fastify accepts text by default; the API accepts JSON.
  app.removeContentTypeParser("text/plain");
  return app;
}

/** Minimum bytes a second that a client must read of a stream or a file, averaged over the idle time. */
const MIN_RATE = 4096;

/** Closes connections that read a stream or a file too slowly, because each of them holds a release or a file open. */
function addLeastRate(app: FastifyInstance, milliseconds: number): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    if (payload instanceof Readable) {
      const { socket } = request.raw;
      let before = socket.bytesWritten;
      const timer = setInterval(() => {
        const slow = socket.bytesWritten - before < (MIN_RATE * milliseconds) / 1000;
        before = socket.bytesWritten;
        // If nothing waits to be read, it is the client that waits for the server.
        if (slow && reply.raw.writableNeedDrain) socket.destroy();
      }, milliseconds).unref();
      reply.raw.once("close", () => clearInterval(timer));
    }
    done(null, payload);
  });
}

/**
 * Maximum number of open connections: of all clients together, and of one address unless clients connect through a
 * proxy.
 */
const MAX_CONNECTIONS = { all: 16_384, address: 2048 } as const;

/**
 * Closes a new connection if its address already has too many. If many connections are open in all, closes the idle
 * ones, which only wait for a next request.
 */
function boundConnections(server: Server, ofAddress: number): void {
  const open = new Map<string, number>();
  server.maxConnections = MAX_CONNECTIONS.all;
  let all = 0;
  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "unknown";
    const own = (open.get(address) ?? 0) + 1;
    if (own > ofAddress) {
      socket.destroy();
      return;
    }
    open.set(address, own);
    all += 1;
    socket.once("close", () => {
      all -= 1;
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
    if (all > MAX_CONNECTIONS.all / 2) server.closeIdleConnections();
  });
}

const CONNECTION_PROBLEMS: Readonly<Record<string, readonly [ProblemType, string]>> = {
  HPE_HEADER_OVERFLOW: ["headers-too-large", "The headers have more than 16 KiB. Send fewer or shorter headers."],
  ERR_HTTP_REQUEST_TIMEOUT: ["request-timeout", "The request did not arrive within 30 seconds. Send it again."],
};

const UNREADABLE = [
  "invalid-request",
  "The bytes received are not an HTTP/1.1 request. Check the client, and whether it used HTTPS on a port for HTTP.",
] as const;

/** The first bytes of a HEAD request. Its response never has a body, even if the rest of the request cannot be read. */
const HEAD = "HEAD ";

/** Milliseconds before a rejected connection is closed, so that the client can read the problem first. */
const LINGERING = 2000;

type Unreadable = NodeJS.ErrnoException & { readonly rawPacket?: unknown };

/**
 * Responds to bytes that are not an HTTP request with a problem document, and closes the connection. Nothing is logged.
 */
function rejectUnreadable(error: Unreadable, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [type, detail] = CONNECTION_PROBLEMS[error.code ?? ""] ?? UNREADABLE;
  const problem = buildProblem(type, detail, "/");
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
  /** Milliseconds of 503 responses before the port closes, so that a load balancer notices the shutdown on /health. */
  readonly noticeMilliseconds: number;
  /** Milliseconds that running requests still have. After that, open connections are closed. */
  readonly graceMilliseconds: number;
}

const SWEEP_MILLISECONDS = 20;

/**
 * Number of successive intervals without a new connection before the port closes. One is not enough on a busy machine.
 */
const QUIET_SWEEPS = 5;

/** Closes the server when its requests are finished, or at the end of the grace period. */
export async function drain(
  app: FastifyInstance,
  { noticeMilliseconds, graceMilliseconds }: DrainOptions,
  { sleep }: Pick<Effects, "sleep">,
): Promise<void> {
  if (noticeMilliseconds > 0) await sleep(noticeMilliseconds);
  let waited = await waitForConnections(app, graceMilliseconds, sleep);
  let closed = false;
  const closing = app.close().finally(() => {
    closed = true;
  });
  for (; !closed; waited += SWEEP_MILLISECONDS) {
    if (waited >= graceMilliseconds) app.server.closeAllConnections();
    // A connection that has just sent its response would otherwise stay open for its keep-alive time.
    else app.server.closeIdleConnections();
    await Promise.race([closing, sleep(SWEEP_MILLISECONDS)]);
  }
  await closing;
}

/**
 * Waits until no client connects any more, because closing the port resets connections that are not yet accepted.
 * Returns the elapsed milliseconds.
 */
async function waitForConnections(
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

export interface ServerState {
  draining: boolean;
  /** Makes the HTML page of a problem; null if the server has no site. */
  page: RenderProblemPage | null;
  isRetracted: (digest: string) => boolean;
  /** True if the error means that a database is not available. */
  isStoreFault: (error: unknown) => boolean;
}

/** Adds the headers of every response. It runs before all other hooks, so that problems have them too. */
export function addCommonHeaders(app: FastifyInstance): void {
  // Callbacks are used here, because a promise for each hook would add a tenth to the cost of a page.
  app.addHook("onRequest", (request, reply, done) => {
    const shared = request.routeOptions?.config?.ownSite === true ? OWN_SITE_HEADERS : SHARED_HEADERS;
    reply.headers({ ...shared, "x-request-id": request.id });
    done();
  });
}

/** Rejects requests to unknown URLs and requests during shutdown, and turns every error into a problem document. */
export function addErrorHooks(app: FastifyInstance, state: ServerState): void {
  app.addHook("onRequest", (request, _reply, done) => {
    if (state.draining) {
      const headers = { "retry-after": "1", connection: "close" };
      done(new ProblemError("draining", "This server is shutting down. Send the request again.", { headers }));
    } else {
      // Runs before the body is read.
      done(request.is404 || hasEmptyKey(request) ? notFound(request) : undefined);
    }
  });
  // During shutdown each response is the last of its connection.
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (state.draining) reply.header("connection", "close");
    const release = reply.getHeader("share-release");
    if (typeof release === "string" && state.isRetracted(release)) reply.headers(RETRACTED);
    done(null, payload);
  });
  app.setErrorHandler((error, _request, reply) => sendProblem(reply, error, state));
  app.setNotFoundHandler((request, reply) => sendProblem(reply, notFound(request), state));
}

/** True if the path has an empty key. `/records/` is neither a list nor a record. */
function hasEmptyKey({ params }: FastifyRequest): boolean {
  return Object.values(params ?? {}).includes("");
}

function notFound({ url }: Pick<FastifyRequest, "url">): ProblemError {
  const detail = "There is nothing at this URL.";
  const instead = lookUpHint(keyBelowRecords(url));
  return new ProblemError("not-found", `${detail} ${instead ?? "Start from /, which lists what this server has."}`);
}

/** Returns the part of an unknown URL after /records/. It may be a DOI, whose slashes match no route. */
function keyBelowRecords(url: string): string {
  const [, named = ""] = /^\/records\/([^?]+)/.exec(url) ?? [];
  return decoded(named) ?? "";
}

class RequestLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    logRequest(request, reply);
    if (!error) return;
    if (isClientGone(error, request)) reply.log.info("client-left");
    else reply.log.warn({ err: error }, "request-broken-off");
  }

  override routeNotFound(): void {}

  override writeHeadError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.error({ err: error }, "request-failed");
  }
}

function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  reply.log.info(
    {
      method: request.method,
      route: request.routeOptions?.url ?? null,
      // Never the path: it can have the name, address or token of a person, also if it matches no route.
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime * 10) / 10,
      release: reply.getHeader("share-release") ?? null,
    },
    "request",
  );
}

/** A 404 may be cached for a minute. Other errors, and responses for one user, are never cached. */
const NOT_FOUND_CACHE = "public, max-age=60";

/** The parts of a rejected request that its HTML page needs. */
export interface RejectedRequest {
  readonly problem: Problem;
  readonly method: string;
  readonly target: string;
  /** The value of the header Retry-After, in seconds. */
  readonly retryAfter: string | undefined;
  readonly referer: string | undefined;
}

/** Makes the HTML page of a problem for a browser. */
export type RenderProblemPage = (rejected: RejectedRequest) => HttpResponse;

/** Sends a problem. `page` makes its HTML page; it is null if the server has no site. */
export function sendProblem(
  reply: FastifyReply,
  error: unknown,
  { page, isStoreFault }: Pick<ServerState, "page" | "isStoreFault">,
): FastifyReply {
  const { request } = reply;
  const problem =
    error instanceof ProblemError ? error : (bodyProblem(error, request) ?? internal(reply, error, isStoreFault));
  const ownSite = request.routeOptions?.config?.ownSite === true;
  const { status, headers, body } = renderProblem(problem, request, page);
  if (problem.usedUp !== null) {
    const { name, quota, resetSeconds } = problem.usedUp;
    setLimitHeaders(reply, name, quota, { remaining: 0, resetSeconds });
  }
  const cache = problem.status === 404 && !ownSite ? NOT_FOUND_CACHE : "no-store";
  return reply
    .code(status)
    .headers({ ...problem.headers, ...headers, "cache-control": cache })
    .send(body ?? undefined);
}

/** Returns the problem as a badge, as an HTML page for a browser, or as a document. */
function renderProblem(problem: ProblemError, request: FastifyRequest, page: RenderProblemPage | null): HttpResponse {
  const { method, headers } = request;
  const { path, target } = readTarget(request);
  const { status } = problem;
  const isRead = method === "GET" || method === "HEAD";
  const badge = isRead ? errorBadge(path, problem.type) : null;
  if (badge !== null) {
    const typed = { "content-type": SVG_TYPE, "content-security-policy": SANDBOX };
    return { status, headers: typed, body: Buffer.from(badge) };
  }
  const document = problem.document(path);
  // On the site, only forms send POST requests. A POST to the API comes from a program, whatever it accepts.
  const isPage = isRead || request.routeOptions?.config?.site === true;
  if (page !== null && isPage && prefersHtml(request)) {
    const retryAfter = problem.headers["retry-after"];
    return page({ problem: document, method, target, retryAfter, referer: headers.referer });
  }
  return { status, headers: { "content-type": "application/problem+json" }, body: Buffer.from(pageText(document)) };
}

/** Retry-After in seconds while a database is not available. */
const STORE_RETRY_SECONDS = "5";

/** Type and detail of the problem for each of Fastify's error codes about a body. */
const BODY_PROBLEMS: Readonly<Record<string, readonly [ProblemType, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ["body-too-large", "The body is too large. The limit is 64 KiB, and 5 MiB for a draft."],
  FST_ERR_CTP_EMPTY_JSON_BODY: ["invalid-body", "The body is empty; it must be a JSON object."],
  FST_ERR_CTP_INVALID_JSON_BODY: ["invalid-body", "The body is not valid JSON; it must be a JSON object."],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    "invalid-body",
    "The length of the body differs from the header Content-Length. Correct the header, or leave it out.",
  ],
};

function bodyProblem(error: unknown, { routeOptions }: FastifyRequest): ProblemError | null {
  const code = getErrorCode(error);
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    const types = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(
      routeOptions.config.bodyTypes ?? ["application/json"],
    );
    const detail = `The Content-Type of the body is not supported. Send the body as ${types}.`;
    return new ProblemError("unsupported-media-type", detail);
  }
  const known = BODY_PROBLEMS[code];
  return known === undefined ? null : new ProblemError(...known);
}

function internal(reply: FastifyReply, error: unknown, isStoreFault: ServerState["isStoreFault"]): ProblemError {
  if (isStoreFault(error)) {
    // Logs only the code, because the message may contain personal data.
    reply.log.error({ code: getErrorCode(error) }, "accounts-unavailable");
    return new ProblemError("accounts-unavailable", "The account store is not available. Try again in a few seconds.", {
      headers: { "retry-after": STORE_RETRY_SECONDS },
    });
  }
  if (isClientGone(error, reply.request)) {
    reply.log.info({ method: reply.request.method, route: reply.request.routeOptions?.url ?? null }, "client-left");
    return new ProblemError(
      "invalid-body",
      "The connection closed before the whole body arrived. Send the request again.",
    );
  }
  reply.log.error({ err: error }, "request-failed");
  return new ProblemError("internal", `The server failed. Report the request ID ${reply.request.id} to the operator.`);
}

function getErrorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
