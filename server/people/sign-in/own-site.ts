/**
 * The gate of `/auth` and `/account`: refuses requests from pages of other origins, and finds the session of the cookie.
 * It runs before any body is read.
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
    if (route.method !== "get") refuseForeignPages(request, signIn);
    request.signed = await signedBy(request, reply, signIn);
    if (route.session && request.signed === null) {
      throw new ProblemError("no-session", "Nobody is signed in: the request has no cookie of a session that lasts.");
    }
  };
}

/** What browsers send in `Sec-Fetch-Site` for a page of this site, and for a person who typed the URL. */
const OWN_SITES = ["same-origin", "none"];

/**
 * Refuses a request that a page of another origin sent. Browsers send `Origin` with every request that changes something
 * (`null` if they hide it), or at least `Sec-Fetch-Site`; a program sends neither. Node joins repeated headers: two origins
 * are not one of the site's.
 */
function refuseForeignPages({ headers }: FastifyRequest, { site }: SignIn): void {
  const { origin, "sec-fetch-site": from = "none" } = headers;
  if ((origin === undefined || site.isOwn(origin)) && OWN_SITES.includes(String(from))) return;
  throw new ProblemError(
    "wrong-origin",
    `A page of another origin sent the request. Send it from a page of ${site.origin}, or from a program without the header Origin.`,
  );
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
