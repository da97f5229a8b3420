/** URLs of the site's forms: check a dataset or a draft, sign in, manage an account. */

import { z } from "zod";
import { jobId } from "../../schemas/public/api/evaluation.ts";
import type { PathKey } from "../../schemas/public/path-key.ts";
import {
  accountForm,
  checkForm,
  checkListForm,
  draftForm,
  eraseForm,
  keyForm,
  linkForm,
  MAX_LIST_LENGTH,
  measureForm,
  nothing,
  reportForm,
  signInForm,
} from "../../schemas/public/site/forms.ts";
import {
  accountQuery,
  checkJobQuery,
  checkQuery,
  continueQuery,
  reportQuery,
  signInQuery,
} from "../../schemas/public/site/queries.ts";
import { MAX_DRAFT_BYTES } from "../../schemas/public/text.ts";
import { CACHE, HTML_TYPE, OWN_ROUTE, type RouteRows, SCRIPT_TYPE, SERVICE_ROUTE } from "./route.ts";

const PAGE = { ...SERVICE_ROUTE, tag: "Site", contentType: HTML_TYPE, html: true } as const;
const OWN_PAGE = { ...OWN_ROUTE, tag: "Site", contentType: HTML_TYPE, html: true } as const;

/** Defaults of a form of the site. Only pages of the site can send it. The response is a view, or a redirect to one. */
const FORM = { ...OWN_PAGE, method: "post", bodyKind: "form" } as const;

/** Defaults of a part of the account view. */
const ACCOUNT_PART = { ...OWN_PAGE, session: true, query: accountQuery } as const;

/** Maximum bytes of a form with drafts: a file, a pasted draft, and a few other fields. */
const MAX_FORM_BYTES = 2 * MAX_DRAFT_BYTES + 64 * 1024;

const checkKey: PathKey = {
  name: "id",
  schema: jobId,
  description: "Id of an evaluation job.",
  example: "j3f9d1c07a52e4b68901c7de2485ab630",
  unknown: {
    problem: "job-not-found",
    detail: "This check does not exist. Checks are deleted 30 days after their end. Check the dataset again.",
  },
};

export const scriptKey: PathKey = {
  name: "script",
  schema: z.string().regex(/^[A-Za-z0-9_-]{1,80}\.js$/),
  description: "Name of a script.",
  example: "check-worker.js",
  unknown: { problem: "not-found", detail: "This version of the script does not exist. Load the page again." },
};

const unsubscribeKey: PathKey = {
  name: "id",
  schema: z.string().regex(/^n[0-9a-f]{48}$/),
  description: "Id in the link of an email.",
  example: `n${"0".repeat(48)}`,
  unknown: { problem: "not-found", detail: "This link is incomplete. Copy the whole link from the email." },
};

export const SITE_FORM_ROUTES = {
  check: { ...PAGE, path: "/check", summary: "Check a dataset or a draft", query: checkQuery, cache: CACHE.never },
  "check-script": {
    ...PAGE,
    path: "/check-script/{script}",
    summary: "Get a script of the check page",
    contentType: SCRIPT_TYPE,
    key: scriptKey,
  },
  // The handlers of the checks count evaluations, so that a check without one is free, and a rejected form keeps its text.
  "new-check": { ...FORM, path: "/check", summary: "Check a dataset", body: checkForm },
  "check-draft": {
    ...FORM,
    path: "/check/draft",
    summary: "Check draft metadata without storing them",
    body: draftForm,
    largestBody: MAX_FORM_BYTES,
  },
  "check-job": {
    ...PAGE,
    path: "/check/{id}",
    summary: "Show the state and the result of a check",
    key: checkKey,
    query: checkJobQuery,
    twin: "evaluation-job",
    cache: CACHE.never,
  },
  "check-list": { ...PAGE, path: "/check-list", summary: "Look up a list of datasets", cache: CACHE.never },
  "look-up-list": {
    ...FORM,
    path: "/check-list",
    summary: "Look up a list of datasets, or download it as CSV",
    body: checkListForm,
    largestBody: 2 * MAX_LIST_LENGTH,
  },
  "report-page": {
    ...OWN_PAGE,
    path: "/report",
    summary: "Report a problem with a page",
    query: reportQuery,
  },
  "send-report": { ...FORM, path: "/report", summary: "Send a problem report", body: reportForm },
  "sign-in": { ...OWN_PAGE, path: "/sign-in", summary: "Sign in with ORCID or by email", query: signInQuery },
  "ask-link": { ...FORM, path: "/sign-in", summary: "Request a sign-in link by email", body: signInForm },
  "use-link": {
    ...FORM,
    path: "/sign-in/link",
    summary: "Sign in with a pasted link",
    body: linkForm,
    setsCookie: true,
  },
  "sign-out": { ...FORM, path: "/sign-out", summary: "Sign out", body: nothing, setsCookie: true },
  account: { ...ACCOUNT_PART, path: "/me", summary: "Show the profile of your account", twin: "me" },
  "account-saved": { ...ACCOUNT_PART, path: "/me/saved", summary: "Show what you saved" },
  "account-submissions": {
    ...ACCOUNT_PART,
    path: "/me/submissions",
    summary: "Show your submissions and saved checks",
  },
  "account-keys": { ...ACCOUNT_PART, path: "/me/keys", summary: "Show, get and revoke your API keys" },
  "account-data": { ...ACCOUNT_PART, path: "/me/data", summary: "Show your sessions, and download or erase your data" },
  // The handlers of these forms check the session, so that a sign-in does not lose the text.
  "change-account": { ...FORM, path: "/me", summary: "Change your account", body: accountForm },
  "continue-action": {
    ...OWN_PAGE,
    path: "/me/continue",
    summary: "Confirm an action after a sign-in",
    session: true,
    query: continueQuery,
  },
  "keep-measurement": {
    ...FORM,
    path: "/me/measurements",
    summary: "Check a dataset and save the result",
    body: measureForm,
  },
  "get-key": {
    ...FORM,
    path: "/me/keys",
    summary: "Register an API key and show it once",
    body: keyForm,
  },
  "unsubscribe-page": {
    ...PAGE,
    path: "/unsubscribe/{id}",
    summary: "Confirm that emails about changes stop",
    key: unsubscribeKey,
    cache: CACHE.never,
  },
  unsubscribe: {
    ...PAGE,
    method: "post",
    bodyKind: "form",
    path: "/unsubscribe/{id}",
    summary: "Stop emails about changes; mail programs send this too (RFC 8058)",
    key: unsubscribeKey,
    body: nothing,
    cache: CACHE.never,
  },
  "erase-page": { ...OWN_PAGE, path: "/me/erase", summary: "Confirm the erasure of your account", session: true },
  "erase-now": {
    ...FORM,
    path: "/me/erase",
    summary: "Erase your account",
    setsCookie: true,
    body: eraseForm,
  },
} as const satisfies RouteRows;
