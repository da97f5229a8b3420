/** Addresses of pages on which people do something: check a dataset or a draft, sign in, keep what is theirs. */

import { jobId, LARGEST_DRAFT } from "../../schemas/public/api/evaluation.ts";
import {
  accountForm,
  checkForm,
  draftForm,
  eraseForm,
  keyForm,
  linkForm,
  measureForm,
  nothing,
  signInForm,
} from "../../schemas/public/site/forms.ts";
import { accountQuery, checkQuery, signInQuery } from "../../schemas/public/site/queries.ts";
import { CACHE, HTML_TYPE, OWN_ROUTE, type PathKey, type RouteRows, SERVICE_ROUTE } from "./route.ts";

const PAGE = { ...SERVICE_ROUTE, tag: "Site", contentType: HTML_TYPE, html: true } as const;
const OWN_PAGE = { ...OWN_ROUTE, tag: "Site", contentType: HTML_TYPE, html: true } as const;

/** A form of a page: sent from there alone, answered with a page or sent on to one. */
const FORM = { ...OWN_PAGE, method: "post", bodyKind: "form" } as const;

/** Of a form with drafts: a file that was chosen, one that was pasted before, and a few fields beside. */
const LARGEST_FORM = 2 * LARGEST_DRAFT + 64 * 1024;

const checkKey: PathKey = {
  name: "id",
  schema: jobId,
  description: "Id of an evaluation job.",
  example: "j3f9d1c07a52e4b68901c7de2485ab630",
  unknown: { problem: "job-not-found", detail: "There is no such check; one that has ended is kept for 30 days." },
};

export const SITE_FORM_ROUTES = {
  check: { ...PAGE, path: "/check", summary: "Check a dataset or a draft", query: checkQuery, cache: CACHE.never },
  "new-check": {
    ...FORM,
    path: "/check",
    summary: "Checks a dataset: what is published at once, else measured now",
    body: checkForm,
    quota: "evaluation",
  },
  "check-draft": {
    ...FORM,
    path: "/check/draft",
    summary: "Checks metadata that are not deposited yet; nothing is kept",
    body: draftForm,
    largestBody: LARGEST_FORM,
    quota: "evaluation",
  },
  "check-job": {
    ...PAGE,
    path: "/check/{id}",
    summary: "How far a check has come, and its result",
    key: checkKey,
    twin: "evaluation-job",
    cache: CACHE.never,
  },
  "sign-in": { ...OWN_PAGE, path: "/sign-in", summary: "Sign in with ORCID or by mail", query: signInQuery },
  "ask-link": { ...FORM, path: "/sign-in", summary: "Asks for a link by mail", body: signInForm },
  "use-link": {
    ...FORM,
    path: "/sign-in/link",
    summary: "Signs in with a link that is pasted, for browsers without a script",
    body: linkForm,
    setsCookie: true,
  },
  "sign-out": { ...FORM, path: "/sign-out", summary: "Signs out", body: nothing, setsCookie: true },
  account: {
    ...OWN_PAGE,
    path: "/me",
    summary: "All that is one's own",
    session: true,
    query: accountQuery,
    twin: "me",
  },
  "change-account": { ...FORM, path: "/me", summary: "Changes what is one's own", session: true, body: accountForm },
  "keep-measurement": {
    ...FORM,
    path: "/me/measurements",
    summary: "Measures a dataset, and keeps the result",
    session: true,
    body: measureForm,
    quota: "evaluation",
  },
  "get-key": {
    ...FORM,
    path: "/me/keys",
    summary: "Registers an API key, and shows it once",
    session: true,
    body: keyForm,
  },
  "erase-page": { ...OWN_PAGE, path: "/me/erase", summary: "Asks whether to erase the account", session: true },
  "erase-now": {
    ...FORM,
    path: "/me/erase",
    summary: "Erases the account",
    session: true,
    setsCookie: true,
    body: eraseForm,
  },
} as const satisfies RouteRows;
