/** Endpoints for signing in and out. Browsers can call them only from pages of the site. */

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
import type { PathKey } from "../../schemas/public/path-key.ts";
import { BODY_PROBLEMS } from "../../schemas/public/problem.ts";
import { HTML_TYPE, OWN_ROUTE, type RouteRows } from "./route.ts";

export const sessionKey: PathKey = {
  name: "id",
  schema: sessionId,
  description: "Id of a session, from `/account/sessions`.",
  example: "s3f9d1c07a52e4b68901c7de2",
  unknown: {
    problem: "session-not-found",
    detail: "You have no session with this id. GET /account/sessions lists yours.",
  },
};

export const SIGN_IN_ROUTES = {
  "orcid-start": {
    ...OWN_ROUTE,
    path: "/auth/orcid/start",
    redirectsBrowsers: true,
    setsCookie: true,
    tag: "Sign-in",
    summary: "Start to sign in with ORCID",
    description:
      "Sets a cookie for ten minutes and returns the URL to open in the browser. A browser that requests HTML is redirected to it (303). You are signed in to the account of your ORCID iD. If you are signed in by email, send `add=true` from a page of this site to add the iD to your account. This fails if the iD already has an account.",
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
    summary: "Complete the sign-in with ORCID",
    description:
      "ORCID redirects the browser to this URL. It works once, and only in the browser that started the sign-in. The response sets the session cookie. A browser that requests HTML is redirected to `returnTo` (303).",
    query: callbackQuery,
    answer: signedIn,
    problems: ["sign-in-failed", "provider-unreachable", "sign-in-not-configured"],
  },
  "magic-page": {
    ...OWN_ROUTE,
    path: "/auth/magic",
    tag: "Sign-in",
    summary: "Open a sign-in link",
    description:
      "Links in emails open this page. The token is in the fragment of the URL, which browsers do not send. The button of the page sends it to `POST /auth/magic/consume`, so programs that scan links in emails do not use the token.",
    contentType: HTML_TYPE,
  },
  "magic-request": {
    ...OWN_ROUTE,
    path: "/auth/magic/request",
    method: "post",
    tag: "Sign-in",
    summary: "Request a sign-in link by email",
    description:
      "The response does not show whether the email address has an account. The first use of a link creates the account. The limit is five links an hour for each email address and for each IP address.",
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
    summary: "Sign in with a link from an email",
    description: "Uses the link, which works once, and sets the session cookie.",
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
    description: "Ends the session and clears its cookie. The response is the same if you are not signed in.",
    answer: signedOut,
    status: 201,
  },
  sessions: {
    ...OWN_ROUTE,
    path: "/account/sessions",
    tag: "Sign-in",
    summary: "List your sessions",
    description: "Newest first. The session of this request is included.",
    query: accountListQuery,
    answer: sessionList,
    session: true,
  },
  session: {
    ...OWN_ROUTE,
    path: "/account/sessions/{id}",
    method: "delete",
    tag: "Sign-in",
    summary: "End a session",
    description: "Ends one of your sessions. It can be the session of this request.",
    key: sessionKey,
    answer: deleted,
    session: true,
    problems: ["session-not-found"],
  },
} as const satisfies RouteRows;
