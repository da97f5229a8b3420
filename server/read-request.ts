/** A request as handlers see it, whatever framework received it. */

import type { IncomingHttpHeaders } from "node:http";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { type Caller, callerOf } from "./limits/caller.ts";

export interface ReadRequest {
  /** The path as it was sent. */
  readonly path: string;
  /** What came after `?`, as it was sent; '' where nothing did. */
  readonly query: string;
  /** Path parameters, percent-decoded once; `*` is the rest of the path. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly caller: Caller;
  /** The parsed body; undefined where there is none. */
  readonly body: unknown;
  /** Fires when the client is gone before it was answered. */
  readonly signal: AbortSignal;
}

const pathParameters = z.record(z.string(), z.string());

export function readRequest(request: FastifyRequest): ReadRequest {
  const { path, query } = targetOf(request);
  const parameters = pathParameters.parse(request.params ?? {});
  const { headers, body, signal } = request;
  return { path, query, parameters, headers, caller: callerOf(request), body, signal };
}

/** Path and query of the request line. */
export function targetOf(request: FastifyRequest): { readonly path: string; readonly query: string } {
  const target = request.raw.url ?? "/";
  const mark = target.indexOf("?");
  return mark < 0 ? { path: target, query: "" } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}
