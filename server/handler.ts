/** What answers an address. */

import type { FastifyReply } from "fastify";
import type { Answer } from "./http/answer.ts";
import type { ReadRequest } from "./http/read-request.ts";
import type { ServerContext } from "./server-context.ts";

/** `reply` is there for headers that a problem must have too, and for cookies. What is at hand is given at once. */
export type Handler = (request: ReadRequest, context: ServerContext, reply: Replying) => Answer | Promise<Answer>;
export type Replying = Pick<FastifyReply, "header" | "setCookie">;
