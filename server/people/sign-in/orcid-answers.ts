/** GET /auth/orcid/start and /auth/orcid/callback: redirects for browsers, JSON for programs. */

import { CACHE } from "../../../api-static/routes/route.ts";
import type { SignedIn, SignInStart } from "../../../schemas/public/account/sign-in.ts";
import type { Answer } from "../../frame/answering/answer.ts";
import { shownAnswer } from "../../frame/answering/private-answers.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { Asked, Replying } from "../../frame/handler.ts";
import type { ReadRequest } from "../../frame/reading/read-request.ts";
import { prefersHtml } from "../../frame/reading/wanted-form.ts";
import type { SignIn } from "./index.ts";
import type { OrcidSignIn } from "./orcid-sign-in.ts";
import { admit } from "./session-answers.ts";

export async function answerStart(
  { request, query, signed }: Asked<"orcid-start">,
  signIn: SignIn,
  reply: Replying,
): Promise<Answer> {
  const orcid = requireOrcid(signIn);
  const adding = query.add === "true" && isFromOwnPage(request, signIn) ? signed : null;
  const { authorizationUrl, secret } = await orcid.start(query.returnTo, adding);
  signIn.cookies.set(reply, "share_sign_in", secret);
  return prefersHtml(request) ? seeOther(authorizationUrl) : shownAnswer({ authorizationUrl } satisfies SignInStart);
}

/** The provider's answer is checked as it was sent, by the client of its protocol. */
export async function answerCallback(request: ReadRequest, signIn: SignIn, reply: Replying): Promise<Answer> {
  const orcid = requireOrcid(signIn);
  const secret = signIn.cookies.read(request.cookies, "share_sign_in");
  const { query, signed, headers } = request;
  const finished = await orcid.finish({ secret, query, signed, agent: headers["user-agent"] ?? null });
  const { user, returnTo, token } = finished;
  signIn.cookies.clear(reply, "share_sign_in");
  await admit({ signIn, request, reply }, token);
  return prefersHtml(request) ? seeOther(returnTo) : shownAnswer({ user, returnTo } satisfies SignedIn);
}

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

/** RFC 9110, 15.4.4: asked for with GET, whatever was asked here. */
function seeOther(location: string): Answer {
  return { status: 303, headers: { location, "cache-control": CACHE.never }, body: null };
}
