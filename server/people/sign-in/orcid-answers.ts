/** GET /auth/orcid/start and /auth/orcid/callback: redirects for browsers, JSON for programs. */

import { CACHE, HTML_TYPE } from "../../../api-static/routes/route.ts";
import { PROBLEM_ADVICE } from "../../../api-static/site/problem-advice.ts";
import { refusalHtml } from "../../../api-static/site/refusal-page.ts";
import { callbackQuery, type SignedIn, type SignInStart, startQuery } from "../../../schemas/public/account/sign-in.ts";
import { type Answer, contentHeaders } from "../../frame/answer.ts";
import type { Handler } from "../../frame/handler.ts";
import { shownAnswer } from "../../frame/private-answers.ts";
import { ProblemError } from "../../frame/problem-error.ts";
import { readQuery } from "../../frame/read-query.ts";
import type { ReadRequest } from "../../frame/read-request.ts";
import { wantsHtml } from "../../frame/wants-html.ts";
import type { SignIn } from "./index.ts";
import type { OrcidSignIn } from "./orcid-sign-in.ts";
import { admit } from "./session-answers.ts";

export const answerStart = forPeople(async (request, { signIn }, reply) => {
  const orcid = requireOrcid(signIn);
  const { returnTo, add } = readQuery(startQuery, request.query);
  const adding = add === "true" && isFromOwnPage(request, signIn) ? request.signed : null;
  const { authorizationUrl, secret } = await orcid.start(returnTo, adding);
  signIn.cookies.set(reply, "share_sign_in", secret);
  return wantsHtml(request) ? seeOther(authorizationUrl) : shownAnswer({ authorizationUrl } satisfies SignInStart);
});

export const answerCallback = forPeople(async (request, { signIn }, reply) => {
  const orcid = requireOrcid(signIn);
  // Repeated and oversized parameters are refused before anything is looked at.
  readQuery(callbackQuery, request.query);
  const secret = signIn.cookies.read(request.cookies, "share_sign_in");
  const { query, signed, headers } = request;
  const finished = await orcid.finish({ secret, query, signed, agent: headers["user-agent"] ?? null });
  const { user, returnTo, token } = finished;
  signIn.cookies.clear(reply, "share_sign_in");
  await admit({ signIn, request, reply }, token);
  return wantsHtml(request) ? seeOther(returnTo) : shownAnswer({ user, returnTo } satisfies SignedIn);
});

function requireOrcid({ orcid }: SignIn): OrcidSignIn {
  if (orcid !== null) return orcid;
  throw new ProblemError("sign-in-not-configured", "Signing in with ORCID is not set up here.");
}

/**
 * Whether a page of this site asks, as browsers alone can say (Fetch Metadata): a link on another site, or an address
 * typed in, is none of its pages'.
 */
function isFromOwnPage({ headers }: ReadRequest, { site }: SignIn): boolean {
  if (headers["sec-fetch-site"] !== undefined) return headers["sec-fetch-site"] === "same-origin";
  return headers.origin !== undefined && site.isOwn(headers.origin);
}

/** Somebody with a browser is told in a page what a program is told in a problem document. */
function forPeople(handler: Handler): Handler {
  return async (request, context, reply) => {
    try {
      return await handler(request, context, reply);
    } catch (error) {
      if (!(error instanceof ProblemError && wantsHtml(request))) throw error;
      const { type, title, status, detail } = error.document(request.path);
      const text = refusalHtml({ type, title, status, detail, advice: PROBLEM_ADVICE[error.type] });
      const headers = { ...contentHeaders(HTML_TYPE, CACHE.never), ...error.headers };
      return { status, headers, body: Buffer.from(text) };
    }
  };
}

/** RFC 9110, 15.4.4: asked for with GET, whatever was asked here. */
function seeOther(location: string): Answer {
  return { status: 303, headers: { location, "cache-control": CACHE.never }, body: null };
}
