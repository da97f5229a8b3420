/** A request as handlers see it, independent of the framework. */

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import cookie from "@fastify/cookie";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Route } from "../../api-static/routes/route.ts";
import { doiIn, parseIdentifier } from "../../pipeline/parse-identifier.ts";
import { splitTarget } from "../../web/languages/paths.ts";
import type { Language } from "../../web/languages/translate.ts";
import { ProblemError } from "./response.ts";

export interface Session {
  readonly accountId: string;
  readonly sessionId: string;
}

declare module "fastify" {
  interface FastifyRequest {
    /**
     * The session of the browser. It is set before the handler of an own-site route runs; null for all other routes.
     */
    signed: Session | null;
  }
  interface FastifyContextConfig {
    /** True if other origins must not be able to read the response. */
    ownSite?: boolean;
    /** True if the route belongs to the site, not to the API. */
    site?: boolean;
    /**
     * True if requests count towards the quota of badges instead of that of the caller, because browsers load the
     * badges of a page without being asked.
     */
    badge?: boolean;
    /** The content types of bodies that the route reads. */
    bodyTypes?: readonly string[];
    /**
     * True if requests count towards the quota of polls, so that waiting for a job does not use up the caller's quota.
     */
    poll?: boolean;
  }
}

export interface ApiRequest {
  /** The language that the URL names; null for a URL without a language. */
  readonly language: Language | null;
  /** Id of the request: the header `X-Request-Id` of the response, and `reqId` in log lines. */
  readonly id: string;
  readonly target: string;
  readonly path: string;
  readonly query: string;
  /** Path parameters, percent-decoded once; `*` is the rest of the path. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly caller: Caller;
  readonly cookies: RequestCookies;
  /** The session of the signed-in account; null if nobody is signed in, and on every route that is not `ownSite`. */
  readonly signed: Session | null;
  /** The parsed body; undefined if there is none. */
  readonly body: unknown;
  /** Fires if the client disconnects before the response. */
  readonly signal: AbortSignal;
  /** Counts the request towards a quota, and returns the number of requests that remain. */
  readonly charge: (quota: NonNullable<Route["quota"]>) => Promise<number>;
  /** Counts the request as several requests of its caller. */
  readonly countAs: (requests: number) => Promise<void>;
}

export type RoutedRequest = FastifyRequest<{ Params: Record<string, string> }>;

export function readRequest(
  request: RoutedRequest,
  { charge, countAs }: Pick<ApiRequest, "charge" | "countAs">,
): ApiRequest {
  const { target, path, query } = readTarget(request);
  const { id, method, params: parameters, headers, body, signed, originalUrl } = request;
  return {
    id,
    language: originalUrl === target ? null : splitTarget(originalUrl).language,
    target,
    path,
    query,
    parameters,
    // Other methods ignore the header Range (RFC 9110, 14.2).
    headers: method === "GET" || headers.range === undefined ? headers : { ...headers, range: undefined },
    caller: getCaller(request),
    signed: signed ?? null,
    body,
    charge,
    countAs,
    // Computed on access: most requests need neither.
    get cookies() {
      return parseCookies(request);
    },
    get signal() {
      // Fastify's signal does not fire for a client that has already disconnected.
      return request.socket.destroyed ? AbortSignal.abort() : request.signal;
    },
  };
}

export function readTarget({ raw }: Pick<FastifyRequest, "raw">): Pick<ApiRequest, "target" | "path" | "query"> {
  const target = raw.url ?? "/";
  const mark = target.indexOf("?");
  if (mark < 0) return { target, path: target, query: "" };
  return { target, path: target.slice(0, mark), query: target.slice(mark + 1) };
}

export interface Caller {
  readonly kind: "anonymous" | "key";
  /** The public ID of the key, or the address of an anonymous caller. */
  readonly id: string;
  readonly address: string;
}

/** Returns the caller as one text, such as `key 3f9d1c07` or `anonymous 192.0.2.1`. */
export function callerText({ kind, id }: Pick<Caller, "kind" | "id">): string {
  return `${kind} ${id}`;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The caller. The limits set it before other hooks run, and handlers read it with `getCaller`. */
    caller: Caller | null;
  }
}

/**
 * Returns the caller of a request.
 * @throws Error if the limits did not run
 */
export function getCaller(request: FastifyRequest): Caller {
  if (request.caller === null || request.caller === undefined)
    throw new Error(
      "the caller of a request was read before the rate limiter counted the request: call addLimits first",
    );
  return request.caller;
}

/** Matches a host as in RFC 3986, with an optional port. */
const HOST = /^[A-Za-z0-9._~!$&'()*+,;=%-]*(?:\[[0-9A-Fa-f:.]+\])?(?::\d*)?$/;

/** Rejects requests with a malformed header Host or Expect. Add it after the other hooks. */
export function rejectMalformed(app: FastifyInstance): void {
  const unmet = new WeakSet<IncomingMessage>();
  // Without a listener, Node responds without a body.
  app.server.on("checkExpectation", (request, response) => {
    unmet.add(request);
    app.routing(request, response);
  });
  app.addHook("onRequest", (request, _reply, done) => {
    done(requestFault(request, unmet.has(request.raw)));
  });
}

function requestFault({ raw }: FastifyRequest, expects: boolean): ProblemError | undefined {
  if (!hasHost(raw)) {
    return new ProblemError(
      "invalid-request",
      "An HTTP/1.1 request needs exactly one header Host, with a host and an optional port, such as share.example:8080.",
    );
  }
  if (!expects) return undefined;
  return new ProblemError(
    "expectation-failed",
    "The header Expect may contain only 100-continue. Send that, or leave out the header.",
  );
}

/** Checks that a request has one Host header (RFC 9112, 3.2). A second one can smuggle a request past a proxy. */
function hasHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  // Names and values alternate. `headers` has only the first of repeated headers.
  const [host, ...others] = rawHeaders.filter((_, i) => i % 2 === 1 && isHost(rawHeaders[i - 1] ?? ""));
  return host === undefined ? httpVersion === "1.0" : others.length === 0 && HOST.test(host);
}

function isHost(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === "host";
}

export type RequestCookies = Readonly<Record<string, string | undefined>>;

/** Registers the cookie parser without its hook, because most requests do not need cookies. */
export async function addCookies(app: FastifyInstance): Promise<void> {
  await app.register(cookie, { hook: false });
  app.decorateRequest("signed", null);
}

/** Returns the cookies of a request. For a repeated name, the first one counts. */
export function parseCookies({ headers, server }: FastifyRequest): RequestCookies {
  return headers.cookie === undefined ? {} : server.parseCookie(headers.cookie);
}

/** The longest value of the parameters `doi` and `identifier` (interface.md, "GET /records filters"). */
const MAX_LOOK_UP_LENGTH = 512;

export function lookUpHint(name: string): string | null {
  if (name.length > MAX_LOOK_UP_LENGTH) return null;
  const doi = doiIn(name);
  if (doi !== null) return `To look up a DOI, use /records?doi=${encodeURIComponent(doi)}.`;
  const identifier = parseIdentifier(name);
  if (identifier.kind !== "record") return null;
  const known = encodeURIComponent(`${identifier.source}/${identifier.sourceId}`);
  return `To look up an identifier of a source, use /records?identifier=${known}.`;
}
