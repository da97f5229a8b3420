/** A request as handlers see it, whatever framework received it. */

import type { IncomingHttpHeaders } from "node:http";
import type { FastifyRequest } from "fastify";
import { type Caller, callerOf } from "./caller.ts";
import { type SentCookies, sentCookies } from "./sent-cookies.ts";

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
