/** A request as handlers see it, whatever framework received it. */

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import cookie from "@fastify/cookie";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { doiIn, parseIdentifier } from "../../pipeline/parse-identifier.ts";
import { ProblemError } from "./response.ts";

/** The account that is signed in, once the cookie has been looked up. */
export interface Signed {
  readonly accountId: string;
  readonly sessionId: string;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set before any handler of an own-site route runs; null for all others. */
    signed: Signed | null;
  }
  interface FastifyContextConfig {
    /** Pages of other origins may not read what is answered here. */
    ownSite?: boolean;
    /** The route is a page or a form of the site, not of the API. */
    site?: boolean;
    /** Charged to the quota of badges, not to that of its caller: what pages load by themselves. */
    badge?: boolean;
  }
}

export interface ReadRequest {
  /** Path and query as they were sent. */
  readonly target: string;
  /** The path as it was sent. */
  readonly path: string;
  /** What came after `?`, as it was sent; '' where nothing did. */
  readonly query: string;
  /** Path parameters, percent-decoded once; `*` is the rest of the path. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly caller: Caller;
  /** By name; empty where none was sent. */
  readonly cookies: SentCookies;
  /** Who is signed in; null where nobody is, and on every route that is not `ownSite`. */
  readonly signed: Signed | null;
  /** The parsed body; undefined where there is none. */
  readonly body: unknown;
  /** Fires when the client is gone before it was answered. */
  readonly signal: AbortSignal;
}

/** A request of a route of ours: its path parameters are text. */
export type RoutedRequest = FastifyRequest<{ Params: Record<string, string> }>;

export function readRequest(request: RoutedRequest): ReadRequest {
  const { target, path, query } = targetOf(request);
  const { params: parameters, headers, body, signed } = request;
  return {
    target,
    path,
    query,
    parameters,
    headers,
    caller: callerOf(request),
    signed: signed ?? null,
    body,
    // Made when they are looked at: most requests are answered without.
    get cookies() {
      return sentCookies(request);
    },
    get signal() {
      // The framework's own hears only of clients that leave from now on.
      return request.socket.destroyed ? AbortSignal.abort() : request.signal;
    },
  };
}

/** The target of the request line, whole and in its two parts. */
export function targetOf({ raw }: Pick<FastifyRequest, "raw">): Pick<ReadRequest, "target" | "path" | "query"> {
  const target = raw.url ?? "/";
  const mark = target.indexOf("?");
  if (mark < 0) return { target, path: target, query: "" };
  return { target, path: target.slice(0, mark), query: target.slice(mark + 1) };
}

export interface Caller {
  readonly kind: "anonymous" | "key";
  /** The public id of the key; for an anonymous caller the address. */
  readonly id: string;
  /** As clientAddress gives it, whatever the kind. */
  readonly address: string;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the limits before anything else runs; handlers ask callerOf. */
    caller: Caller | null;
  }
}

/** The caller of a request that has passed the limits. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null || request.caller === undefined)
    throw new Error("the request was not counted: addLimits comes first");
  return request.caller;
}

/** A host as RFC 3986 has it, and a port; empty where the address has no host. */
const HOST = /^[A-Za-z0-9._~!$&'()*+,;=%-]*(?:\[[0-9A-Fa-f:.]+\])?(?::\d*)?$/;

/** Adds the refusals to an app, behind the hooks it has. */
export function refuseMalformed(app: FastifyInstance): void {
  const unmet = new WeakSet<IncomingMessage>();
  // Without a listener Node answers by itself, and without a body.
  app.server.on("checkExpectation", (request, response) => {
    unmet.add(request);
    app.routing(request, response);
  });
  app.addHook("onRequest", (request, _reply, done) => {
    done(faultOf(request, unmet.has(request.raw)));
  });
}

function faultOf({ raw }: FastifyRequest, expects: boolean): ProblemError | undefined {
  if (!hasHost(raw)) {
    return new ProblemError(
      "invalid-request",
      "A request of HTTP/1.1 has one header Host, with a host and perhaps a port.",
    );
  }
  if (!expects) return undefined;
  return new ProblemError("expectation-failed", "This service meets no expectations but 100-continue.");
}

/** RFC 9112, 3.2. A second host is how one request is made to look like two to those it passes. */
function hasHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  // Names and values in turn; `headers` would have the first of several headers of this name alone.
  const [host, ...others] = rawHeaders.filter((_, i) => i % 2 === 1 && isHost(rawHeaders[i - 1] ?? ""));
  return host === undefined ? httpVersion === "1.0" : others.length === 0 && HOST.test(host);
}

function isHost(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === "host";
}

/** Cookies by name, as they were sent. */
export type SentCookies = Readonly<Record<string, string | undefined>>;

/** Reads no cookie by itself: most requests need none. */
export async function addCookies(app: FastifyInstance): Promise<void> {
  await app.register(cookie, { hook: false });
  app.decorateRequest("signed", null);
}

/** The cookies of a request; of several of one name the first. */
export function sentCookies({ headers, server }: FastifyRequest): SentCookies {
  return headers.cookie === undefined ? {} : server.parseCookie(headers.cookie);
}

/** As long as the parameters may be that it leads to (interface.md, "GET /records filters"). */
const LONGEST = 512;

/** A sentence with the address that looks `name` up; null where it is no name that could be looked up. */
export function lookUpInstead(name: string): string | null {
  if (name.length > LONGEST) return null;
  const doi = doiIn(name);
  if (doi !== null) return `A DOI is looked up with ?doi=, at /records?doi=${encodeURIComponent(doi)}.`;
  const identifier = parseIdentifier(name);
  if (identifier.kind !== "record") return null;
  const known = encodeURIComponent(`${identifier.source}/${identifier.sourceId}`);
  return `The identifier of a source is looked up with ?identifier=, at /records?identifier=${known}.`;
}
