/**
 * The gates that requests of the site's own pages pass before they are answered: an origin that is the site's, and the session
 * behind their cookie. Both are looked at before any body is.
 */

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Route } from "../../../api-static/routes/route.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { Signed } from "../../frame/reading/read-request.ts";
import { sentCookies } from "../../frame/reading/sent-cookies.ts";
import type { SignIn } from "./index.ts";

/** Lets a request of an own-site route pass, and says on it who is signed in. */
export function ownSiteHook(route: Route, signIn: SignIn) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (route.method !== "get") requireOwnOrigin(request, signIn);
    request.signed = await signedBy(request, reply, signIn);
    if (route.session && request.signed === null) {
      throw new ProblemError("no-session", "Nobody is signed in: the request has no cookie of a session that lasts.");
    }
  };
}

/** Lets a request pass that comes from no page, or from one of the site's. */
export function ownPagesHook(signIn: SignIn) {
  return async (request: FastifyRequest): Promise<void> => {
    if (request.headers.origin !== undefined) requireOwnOrigin(request, signIn);
  };
}

/**
 * Browsers say truthfully where a request comes from, and `null` where they will not say; whatever would change something
 * without saying so is refused (RFC 6454, 7). Node joins repeated headers: two origins are none.
 */
function requireOwnOrigin({ headers: { origin } }: FastifyRequest, { site }: SignIn): void {
  if (origin !== undefined && site.isOwn(origin)) return;
  const seen = origin === undefined ? "has no header Origin" : "comes from another origin";
  throw new ProblemError("wrong-origin", `The request ${seen}; it must come from a page of ${site.origin}.`);
}

async function signedBy(request: FastifyRequest, reply: FastifyReply, signIn: SignIn): Promise<Signed | null> {
  const token = signIn.cookies.read(sentCookies(request), "share_session");
  if (token === null) return null;
  const found = await signIn.sessions.find(token);
  if (found === null) return null;
  // Its end has moved: the browser has to keep the cookie for as long.
  if (found.renewed) signIn.cookies.set(reply, "share_session", token);
  const { accountId, sessionId } = found;
  return { accountId, sessionId };
}
