/** The caller of a request: known by an API key, or by an address alone. */

import type { FastifyRequest } from "fastify";

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
