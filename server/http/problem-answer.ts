/** Sends a problem document (RFC 9457), or a badge to who asked for one; what is no problem of ours becomes `internal`, and only the log knows more. */

import type { FastifyReply, FastifyRequest } from "fastify";
import { badgeRefusal } from "../../api-static/pages/badge.ts";
import { pageText } from "../../api-static/pages/read-page.ts";
import { SANDBOX } from "../../api-static/routes/headers.ts";
import { SVG_TYPE } from "../../api-static/routes/route.ts";
import type { Problem, ProblemType } from "../../schemas/public/problem.ts";
import { isStoreFault } from "../accounts/database/store-fault.ts";
import { clientLeft } from "./add-routes.ts";
import type { Answer } from "./answer.ts";
import { ProblemError } from "./answer.ts";
import { prefersHtml } from "./content-negotiation.ts";
import { targetOf } from "./read-request.ts";

/** A 404 may be cached for a minute, other errors and what is said to one person never. */
const NOT_FOUND_CACHE = "public, max-age=60";

/** What of a refused request decides its page. */
export interface Refused {
  readonly problem: Problem;
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** Seconds, as the header Retry-After says them. */
  readonly retryAfter: string | undefined;
  readonly referer: string | undefined;
}

/** Makes a page of a problem, for who asks with a browser. */
export type ProblemPage = (refused: Refused) => Answer;

/** `page`: null where only programs are answered. */
export function sendProblem(reply: FastifyReply, error: unknown, page: ProblemPage | null = null): FastifyReply {
  const { request } = reply;
  const problem = error instanceof ProblemError ? error : (bodyProblem(error) ?? internal(reply, error));
  const ownSite = request.routeOptions?.config?.ownSite === true;
  const { status, headers, body } = contentOf(problem, request, page);
  const cache = problem.status === 404 && !ownSite ? NOT_FOUND_CACHE : "no-store";
  return reply
    .code(status)
    .headers({ ...problem.headers, ...headers, "cache-control": cache })
    .send(body ?? undefined);
}

/** A document that says what is wrong; to who asked for a badge, a badge; to who asks with a browser, a page. */
function contentOf(problem: ProblemError, request: FastifyRequest, page: ProblemPage | null): Answer {
  const { method, headers } = request;
  const { path, target } = targetOf(request);
  const { status } = problem;
  const isRead = method === "GET" || method === "HEAD";
  const badge = isRead ? badgeRefusal(path, problem.type) : null;
  if (badge !== null) {
    const typed = { "content-type": SVG_TYPE, "content-security-policy": SANDBOX };
    return { status, headers: typed, body: Buffer.from(badge) };
  }
  const document = problem.document(path);
  // Only a form of the site posts from a page. A POST to the API is a program's, whatever it accepts.
  const isPage = isRead || request.routeOptions?.config?.site === true;
  if (page !== null && isPage && prefersHtml(request)) {
    const retryAfter = problem.headers["retry-after"];
    return page({ problem: document, method, target, retryAfter, referer: headers.referer });
  }
  return { status, headers: { "content-type": "application/problem+json" }, body: Buffer.from(pageText(document)) };
}

/** When a database that was away, or full, may be there again. */
const STORE_RETRY_SECONDS = "5";

/** What the framework says of a body it refuses, by the code of its error. */
const BODY_PROBLEMS: Readonly<Record<string, readonly [ProblemType, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    "body-too-large",
    "The body has more bytes than this address takes: 64 KiB mostly, 5 MiB for a draft.",
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ["unsupported-media-type", "Send the body as application/json."],
  FST_ERR_CTP_EMPTY_JSON_BODY: ["invalid-body", "The body is empty; it must be a JSON object."],
  FST_ERR_CTP_INVALID_JSON_BODY: ["invalid-body", "The body is not JSON."],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["invalid-body", "The body is not as long as the header Content-Length says."],
};

function bodyProblem(error: unknown): ProblemError | null {
  const known = BODY_PROBLEMS[codeOf(error)];
  return known === undefined ? null : new ProblemError(...known);
}

function internal(reply: FastifyReply, error: unknown): ProblemError {
  if (isStoreFault(error)) {
    // Its code alone: words and values of a statement are somebody's.
    reply.log.error({ code: codeOf(error) }, "accounts-unavailable");
    return new ProblemError("accounts-unavailable", "Accounts cannot be reached at the moment; try again.", {
      headers: { "retry-after": STORE_RETRY_SECONDS },
    });
  }
  if (clientLeft(error, reply.request)) {
    reply.log.info({ method: reply.request.method, route: reply.request.routeOptions?.url ?? null }, "client-left");
    return new ProblemError("invalid-body", "The body did not arrive.");
  }
  reply.log.error({ err: error }, "request-failed");
  return new ProblemError("internal", `Something failed; it is logged under the request id ${reply.request.id}.`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
