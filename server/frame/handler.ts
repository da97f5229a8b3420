/** What answers an address. */

import type { FastifyReply } from "fastify";
import type { ServerContext } from "../server-context.ts";
import type { Answer } from "./answer.ts";
import type { ReadRequest } from "./read-request.ts";

/** `reply` is there for headers that a problem must have too, and for cookies. What is at hand is given at once. */
export type Handler = (request: ReadRequest, context: ServerContext, reply: Replying) => Answer | Promise<Answer>;
export type Replying = Pick<FastifyReply, "header" | "setCookie">;
