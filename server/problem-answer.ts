/** Sends a problem document (RFC 9457); what is no problem of ours becomes `internal`, and only the log knows more. */

import type { FastifyReply } from "fastify";
import { pageText } from "../api-static/page.ts";
import { ProblemError } from "./problem-error.ts";
import { targetOf } from "./read-request.ts";

/** A 404 may be cached for a minute, other errors never. */
const NOT_FOUND_CACHE = "public, max-age=60";

export function sendProblem(reply: FastifyReply, error: unknown): FastifyReply {
  const problem = error instanceof ProblemError ? error : internal(reply, error);
  const { path } = targetOf(reply.request);
  return reply
    .code(problem.status)
    .headers({
      ...problem.headers,
      "content-type": "application/problem+json",
      "cache-control": problem.status === 404 ? NOT_FOUND_CACHE : "no-store",
    })
    .send(Buffer.from(pageText(problem.document(path))));
}

function internal(reply: FastifyReply, error: unknown): ProblemError {
  reply.log.error({ err: error }, "request-failed");
  return new ProblemError("internal", `Something failed; it is logged under the request id ${reply.request.id}.`);
}
