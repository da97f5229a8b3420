/** Addresses of signing in and out. Who may ask them from a browser is the site's own pages alone. */

import { accountListQuery, deleted } from "../../schemas/public/account/list.ts";
import { sessionId, sessionList } from "../../schemas/public/account/session.ts";
import {
  callbackQuery,
  linkConsumption,
  linkRequest,
  linkRequested,
  signedIn,
  signedOut,
  signInStart,
  startQuery,
} from "../../schemas/public/account/sign-in.ts";
import type { RouteWords } from "./plain-route.ts";
import { CACHE, HTML_TYPE, type PathKey, type Route } from "./route.ts";
import { service } from "./service-routes.ts";

/** One of the site's own addresses: no cache keeps what it answers. */
function own(name: string, path: string, words: RouteWords): Route {
  return service(name, path, { ownSite: true, cache: CACHE.never, ...words });
}

const BODY_PROBLEMS = ["invalid-body", "body-too-large", "unsupported-media-type"] as const;

const sessionKey: PathKey = {
  name: "id",
  schema: sessionId,
  description: "Id of a session, as `/account/sessions` shows it.",
  example: "s3f9d1c07a52e4b68901c7de2",
};

export const SIGN_IN_ROUTES: readonly Route[] = [
  own("orcid-start", "/auth/orcid/start", {
    tag: "Sign-in",
    summary: "Begin to sign in with ORCID",
    description:
      "Sets a cookie that lasts ten minutes and tells where to send the browser; a browser that asks for HTML is sent there (303). The iD's own account is signed in. With `add=true`, who is signed in by mail and begins from a page of this site has the iD added to their account instead, unless it has an account of its own already.",
    query: startQuery,
    answer: signInStart,
    problems: ["provider-unreachable", "sign-in-not-configured"],
  }),
  own("orcid-callback", "/auth/orcid/callback", {
    tag: "Sign-in",
    summary: "Come back from ORCID",
    description:
      "Where ORCID sends the browser. Works once, and only in the browser that began. Sets the cookie of a session; a browser that asks for HTML is sent on to `returnTo` (303).",
    query: callbackQuery,
    answer: signedIn,
    problems: ["sign-in-failed", "provider-unreachable", "sign-in-not-configured"],
  }),
  own("magic-page", "/auth/magic", {
    tag: "Sign-in",
    summary: "The page that links in mails lead to",
    description:
      "The token stands in the fragment of the address, which no server sees; the button of the page sends it to `POST /auth/magic/consume`. Programs that look into links in mails therefore use up nothing.",
    contentType: HTML_TYPE,
  }),
  own("magic-request", "/auth/magic/request", {
    method: "post",
    tag: "Sign-in",
    summary: "Ask for a link by mail",
    description:
      "The answer is the same whether the address has an account or not; one is made when a link is used for the first time. Five links an hour are sent to one address, and for one IP address.",
    body: linkRequest,
    answer: linkRequested,
    status: 201,
    problems: [...BODY_PROBLEMS, "too-many-links", "overloaded"],
  }),
  own("magic-consume", "/auth/magic/consume", {
    method: "post",
    tag: "Sign-in",
    summary: "Sign in with a link",
    description: "Uses the link up and sets the cookie of a session.",
    body: linkConsumption,
    answer: signedIn,
    status: 201,
    problems: [...BODY_PROBLEMS, "link-used"],
  }),
  own("logout", "/auth/logout", {
    method: "post",
    tag: "Sign-in",
    summary: "Sign out",
    description: "Ends the session and takes its cookie back. Who is not signed in is answered the same.",
    answer: signedOut,
    status: 201,
  }),
  own("sessions", "/account/sessions", {
    tag: "Sign-in",
    summary: "Where one is signed in",
    description: "One's sessions, the newest first, the one that asks among them.",
    query: accountListQuery,
    answer: sessionList,
    session: true,
  }),
  own("session", "/account/sessions/{id}", {
    method: "delete",
    tag: "Sign-in",
    summary: "Sign out somewhere else",
    description: "Ends one session; one's own too.",
    key: sessionKey,
    answer: deleted,
    session: true,
    problems: ["session-not-found"],
  }),
];
