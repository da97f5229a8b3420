/** What happens to every request before and after its handler: common headers, the quota, the end of the server. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { SHARED_HEADERS } from "../api-static/headers.ts";
import type { RateLimits } from "./limits/index.ts";
import { sendProblem } from "./problem-answer.ts";
import { ProblemError } from "./problem-error.ts";
import { logRequest } from "./request-log.ts";

/** What hooks look at. */
export interface ServerState {
  draining: boolean;
  /** Null until they are added. */
  limits: RateLimits | null;
}

/** First of all hooks, so that refusals have these too. */
export function addCommonHeaders(app: FastifyInstance): void {
  app.addHook("onRequest", async (_request, reply) => setCommonHeaders(reply));
}

function setCommonHeaders(reply: FastifyReply): void {
  reply.headers({ ...SHARED_HEADERS, "x-request-id": reply.request.id });
}

/** Refuses what leads nowhere and what comes too late; turns every error into a problem document. */
export function addHooks(app: FastifyInstance, state: ServerState): void {
  app.addHook("onRequest", async (request) => {
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

/** Answers a path that cannot be decoded: it leads nowhere, and counts like any other. */
export function refuseUndecodable(state: ServerState) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    setCommonHeaders(reply);
    const counted = state.limits?.count(request, reply) ?? Promise.resolve();
    counted
      .then(
        () => sendProblem(reply, nothingHere()),
        (error: unknown) => sendProblem(reply, error),
      )
      .finally(() => logRequest(request, reply));
  };
}

function nothingHere(): ProblemError {
  return new ProblemError("not-found", "There is nothing at this address; the index at / lists where to begin.");
}
