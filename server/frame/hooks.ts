/** The steps of every request before and after its handler: common headers, the quota, the end of the server. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { decoded } from "../../api-static/routes/decoded.ts";
import { OWN_SITE_HEADERS, RETRACTED, SHARED_HEADERS } from "../../api-static/routes/headers.ts";
import { ProblemError } from "./answering/problem-error.ts";
import { type ProblemPage, sendProblem } from "./problem-answer.ts";
import { lookUpInstead } from "./reading/look-up-instead.ts";
import { logRequest } from "./request-log.ts";

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
