/** Addresses of signing in and out. Who may ask them from a browser is the site's own pages alone. */

import { accountListQuery, deleted } from "../../schemas/public/account/list.ts";
import {
  callbackQuery,
  linkConsumption,
  linkRequest,
  linkRequested,
  sessionId,
  sessionList,
  signedIn,
  signedOut,
  signInStart,
  startQuery,
} from "../../schemas/public/account/sign-in.ts";
import { BODY_PROBLEMS, HTML_TYPE, OWN_ROUTE, type PathKey, type RouteRows } from "./route.ts";

export const sessionKey: PathKey = {
  name: "id",
  schema: sessionId,
  description: "Id of a session, as `/account/sessions` shows it.",
  example: "s3f9d1c07a52e4b68901c7de2",
  unknown: { problem: "session-not-found", detail: "You have no session of this id." },
};

export const SIGN_IN_ROUTES = {
  "orcid-start": {
    ...OWN_ROUTE,
    path: "/auth/orcid/start",
    redirectsBrowsers: true,
    setsCookie: true,
    tag: "Sign-in",
    summary: "Begin to sign in with ORCID",
    description:
      "Sets a cookie that lasts ten minutes and tells where to send the browser; a browser that asks for HTML is sent there (303). The iD's own account is signed in. With `add=true`, who is signed in by mail and begins from a page of this site has the iD added to their account instead, unless it has an account of its own already.",
    query: startQuery,
    answer: signInStart,
    problems: ["provider-unreachable", "sign-in-not-configured"],
  },
  "orcid-callback": {
    ...OWN_ROUTE,
    path: "/auth/orcid/callback",
    redirectsBrowsers: true,
    setsCookie: true,
    tag: "Sign-in",
    summary: "Come back from ORCID",
    description:
      "ORCID sends the browser here. The address works once, and only in the browser that began. Sets the cookie of a session; a browser that asks for HTML is sent on to `returnTo` (303).",
    query: callbackQuery,
    answer: signedIn,
    problems: ["sign-in-failed", "provider-unreachable", "sign-in-not-configured"],
  },
  "magic-page": {
    ...OWN_ROUTE,
    path: "/auth/magic",
    tag: "Sign-in",
    summary: "The page that links in mails lead to",
    description:
      "The token stands in the fragment of the address, which no server sees; the button of the page sends it to `POST /auth/magic/consume`. Programs that look into links in mails therefore use up nothing.",
    contentType: HTML_TYPE,
  },
  "magic-request": {
    ...OWN_ROUTE,
    path: "/auth/magic/request",
    method: "post",
    tag: "Sign-in",
    summary: "Ask for a link by mail",
    description:
      "The answer is the same whether the address has an account or not; one is made when a link is used for the first time. Five links an hour are sent to one address, and for one IP address.",
    body: linkRequest,
    answer: linkRequested,
    status: 201,
    problems: [...BODY_PROBLEMS, "too-many-links", "overloaded"],
  },
  "magic-consume": {
    ...OWN_ROUTE,
    path: "/auth/magic/consume",
    setsCookie: true,
    method: "post",
    tag: "Sign-in",
    summary: "Sign in with a link",
    description: "Uses the link up and sets the cookie of a session.",
    body: linkConsumption,
    answer: signedIn,
    status: 201,
    problems: [...BODY_PROBLEMS, "link-used"],
  },
  logout: {
    ...OWN_ROUTE,
    path: "/auth/logout",
    setsCookie: true,
    method: "post",
    tag: "Sign-in",
    summary: "Sign out",
    description: "Ends the session and takes its cookie back. Who is not signed in is answered the same.",
    answer: signedOut,
    status: 201,
  },
  sessions: {
    ...OWN_ROUTE,
    path: "/account/sessions",
    tag: "Sign-in",
    summary: "The sessions one is signed in by",
    description: "One's sessions, the newest first, the one that asks among them.",
    query: accountListQuery,
    answer: sessionList,
    session: true,
  },
  session: {
    ...OWN_ROUTE,
    path: "/account/sessions/{id}",
    method: "delete",
    tag: "Sign-in",
    summary: "Sign out somewhere else",
    description: "Ends one session; one's own too.",
    key: sessionKey,
    answer: deleted,
    session: true,
    problems: ["session-not-found"],
  },
} as const satisfies RouteRows;
