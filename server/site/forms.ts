/** Handlers of the views to sign in and of the account. */

import { z } from "zod";
import type { RouteName } from "../../api-static/routes/index.ts";
import { CACHE } from "../../api-static/routes/route.ts";
import type { SITE_FORM_ROUTES } from "../../api-static/routes/site-form-routes.ts";
import { profileClaimList } from "../../schemas/public/account/claim.ts";
import { accountPage } from "../../schemas/public/account/me.ts";
import { registrationResult } from "../../schemas/public/account/registration.ts";
import {
  measurementList,
  savedAuthorList,
  savedRecordList,
  savedRepositoryList,
} from "../../schemas/public/account/saved.ts";
import { linkRequested, returnPath, sessionList, signedIn, signedOut } from "../../schemas/public/account/sign-in.ts";
import { datasetSubmissionList } from "../../schemas/public/account/submission.ts";
import { visibilityRequestList } from "../../schemas/public/account/visibility.ts";
import { recordId } from "../../schemas/public/api/record.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import type { AccountForm } from "../../schemas/public/site/forms.ts";
import { type AccountQuery, accountQuery } from "../../schemas/public/site/queries.ts";
import type { View } from "../../web/components/document.ts";
import { urlOf } from "../../web/components/navigation.ts";
import { datasetName } from "../../web/components/record-rows.ts";
import { CONTINUED, claimView, continueView, impossibleClaimView } from "../../web/views/continue.ts";
import {
  ACCOUNT_PARTS,
  type AccountPart,
  accountView,
  erasedView,
  eraseView,
  keyView,
  type OwnPage,
  unsubscribedView,
  unsubscribeView,
} from "../../web/views/me.ts";
import { linkSentView, rejectedLinkView, signInView } from "../../web/views/sign-in.ts";
import { unsubscribe } from "../accounts/change-mails.ts";
import { expectedClaim } from "../accounts/claims.ts";
import type { HttpResponse } from "../http/response.ts";
import { seeOther } from "../http/response.ts";
import type { Handlers, TypedRequest } from "../http/routes.ts";
import { checkHandlers } from "./checks.ts";
import {
  type ApiCall,
  type ApiClient,
  orShowForm,
  type SiteContext,
  surroundings,
  type ViewOrResponse,
  viewHandler,
  viewResponse,
} from "./page-handler.ts";

export function formHandlers(context: SiteContext): Handlers<keyof typeof SITE_FORM_ROUTES> {
  const part = (of: AccountPart) => (typedRequest: Pick<TypedRequest<"account">, "query">, api: ApiClient) =>
    makeAccount(of, typedRequest, api, context);
  return {
    ...checkHandlers(context),
    "sign-in": viewHandler("sign-in", context, (typedRequest) => makeSignIn(typedRequest, context)),
    "ask-link": viewHandler("ask-link", context, (typedRequest, api) => askLink(typedRequest, api, context)),
    "use-link": viewHandler("use-link", context, (typedRequest, api) => useLink(typedRequest, api, context)),
    "sign-out": viewHandler("sign-out", context, (_asked, api) => signOut(api)),
    account: viewHandler("account", context, part("profile")),
    "account-saved": viewHandler("account-saved", context, part("saved")),
    "account-submissions": viewHandler("account-submissions", context, part("submissions")),
    "account-keys": viewHandler("account-keys", context, part("keys")),
    "account-data": viewHandler("account-data", context, part("data")),
    "change-account": viewHandler("change-account", context, (typedRequest, api) =>
      changeAccount(typedRequest, api, context),
    ),
    "continue-action": viewHandler("continue-action", context, (typedRequest, api) =>
      continueAction(typedRequest, api, context),
    ),
    "keep-measurement": viewHandler("keep-measurement", context, (typedRequest, api) =>
      addMeasurement(typedRequest, api, context),
    ),
    "get-key": viewHandler("get-key", context, (typedRequest, api) => getKey(typedRequest, api, context)),
    "unsubscribe-page": viewHandler("unsubscribe-page", context, async ({ key }) => unsubscribeView(key)),
    unsubscribe: viewHandler("unsubscribe", context, async ({ key }) => {
      await unsubscribe(key, context.accounts);
      return unsubscribedView();
    }),
    "erase-page": viewHandler("erase-page", context, async () => eraseView(null)),
    "erase-now": viewHandler("erase-now", context, (typedRequest, api) => eraseAccount(typedRequest, api)),
  };
}

/** The URL after a form that does not name a valid one. */
const OWN_PAGE = "/me";
const ERASE_PAGE = "/me/erase";

function destinationIn(text: string): string {
  const place = returnPath.safeParse(text);
  return place.success && text !== "" ? place.data : OWN_PAGE;
}

async function makeSignIn(
  { query, signed }: TypedRequest<"sign-in">,
  { signIn }: SiteContext,
): Promise<ViewOrResponse> {
  const returnTo = destinationIn(query.returnTo);
  if (signed !== null) return seeOther(returnTo);
  return signInView({ returnTo, email: "", hasOrcid: signIn.orcid !== null, refused: null });
}

function askLink(
  { body, request }: TypedRequest<"ask-link">,
  api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  const { email } = body;
  const returnTo = destinationIn(body.returnTo);
  const work = async () => {
    await api.get(linkRequested, "magic-request", { body: { email: email.trim(), returnTo } });
    return linkSentView(email.trim());
  };
  const hasOrcid = context.signIn.orcid !== null;
  return orShowForm(work, (refused) => signInView({ returnTo, email, hasOrcid, refused }), request, context);
}

/** Accepts a pasted link or its token alone. */
function useLink(
  { body, request }: TypedRequest<"use-link">,
  api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  const token = body.link.trim().split("token=").at(-1) ?? "";
  const work = async () => {
    const { returnTo } = await api.get(signedIn, "magic-consume", { body: { token } });
    return seeOther(returnTo);
  };
  return orShowForm(work, rejectedLinkView, request, context);
}

async function signOut(api: ApiClient): Promise<ViewOrResponse> {
  await api.get(signedOut, "logout");
  return seeOther("/");
}

type AccountAction = AccountForm["do"] | "measure" | "get-key";

/** The part of the account with the result of each action. */
const PART_OF: Readonly<Record<AccountAction, AccountPart>> = {
  claim: "profile",
  "withdraw-claim": "profile",
  visibility: "profile",
  "withdraw-visibility": "profile",
  "save-record": "saved",
  "unsave-record": "saved",
  "note-record": "saved",
  "save-author": "saved",
  "unsave-author": "saved",
  "note-author": "saved",
  "save-repository": "saved",
  "unsave-repository": "saved",
  "start-change-mails": "saved",
  "stop-change-mails": "saved",
  submit: "submissions",
  "withdraw-submission": "submissions",
  measure: "submissions",
  "delete-measurement": "submissions",
  "get-key": "keys",
  "revoke-key": "keys",
  "end-session": "data",
};

/** Messages after an action, by the parameter `done`. Other texts are not shown. */
const DONE: Readonly<Record<Exclude<AccountAction, "get-key">, string>> = {
  claim: "You have claimed the page. The state of your claim is shown below.",
  "withdraw-claim": "Withdrawn.",
  visibility: "Your request was sent. A moderator decides. The change is visible within a minute after that.",
  "withdraw-visibility": "Withdrawn.",
  "save-record": "Saved.",
  "unsave-record": "Removed.",
  "note-record": "Your note has been changed.",
  "note-author": "Your note has been changed.",
  "save-repository": "Saved.",
  "unsave-repository": "Removed.",
  "start-change-mails": "After each release you get an email if something that you saved has changed.",
  "stop-change-mails": "You get no more emails about changes.",
  "save-author": "Saved.",
  "unsave-author": "Removed.",
  submit: "Submitted.",
  "withdraw-submission": "Withdrawn.",
  "delete-measurement": "Deleted.",
  "revoke-key": "The key no longer works.",
  "end-session": "You have ended the session.",
  measure: "Checked and saved.",
};

const ANY = z.looseObject({});

type FormCall = { readonly route: RouteName; readonly call: ApiCall };

/** Returns the API call of a form. Empty notes and reasons are left out. */
function apiCallOf(form: AccountForm): FormCall {
  switch (form.do) {
    case "claim":
      return { route: "new-profile-claim", call: { body: { authorSlug: form.authorSlug } } };
    case "withdraw-claim":
      return { route: "withdraw-profile-claim", call: { key: form.id } };
    case "visibility": {
      const { authorSlug, requestType, reason } = form;
      return {
        route: "new-visibility-request",
        call: { body: { authorSlug, requestType, ...(reason === "" ? {} : { reason }) } },
      };
    }
    case "withdraw-visibility":
      return { route: "withdraw-visibility-request", call: { key: form.id } };
    case "save-record":
      return {
        route: "save-record",
        call: { body: { recordId: form.recordId, ...(form.note === "" ? {} : { note: form.note }) } },
      };
    // Here an empty note removes the previous one.
    case "note-record":
      return { route: "save-record", call: { body: { recordId: form.recordId, note: form.note } } };
    case "note-author":
      return { route: "save-author", call: { body: { authorSlug: form.authorSlug, note: form.note } } };
    case "unsave-record":
      return { route: "unsave-record", call: { key: form.id } };
    case "save-author":
      return {
        route: "save-author",
        call: { body: { authorSlug: form.authorSlug, ...(form.note === "" ? {} : { note: form.note }) } },
      };
    case "unsave-author":
      return { route: "unsave-author", call: { key: form.id } };
    case "save-repository":
      return { route: "save-repository", call: { body: { repository: form.repository } } };
    case "unsave-repository":
      return { route: "unsave-repository", call: { key: form.id } };
    case "start-change-mails":
    case "stop-change-mails":
      return { route: form.do, call: {} };
    case "submit":
      return { route: "new-dataset-submission", call: { body: { identifier: form.identifier } } };
    case "withdraw-submission":
      return { route: "withdraw-dataset-submission", call: { key: form.id } };
    case "delete-measurement":
      return { route: "delete-measurement", call: { key: form.id } };
    case "revoke-key":
      return { route: "revoke-api-key", call: { key: form.id } };
    case "end-session":
      return { route: "session", call: { key: form.id } };
    default:
      return form satisfies never;
  }
}

function isDone(text: string): text is keyof typeof DONE {
  return Object.hasOwn(DONE, text);
}

async function makeAccount(
  part: AccountPart,
  { query }: Pick<TypedRequest<"account">, "query">,
  api: ApiClient,
  { signIn, contact }: SiteContext,
): Promise<View> {
  const own = await readAccount(part, query, api);
  const done = isDone(query.done) ? DONE[query.done] : "";
  return accountView(part, { ...own, done, hasOrcid: signIn.orcid !== null, contact, refused: null, typed: null });
}

/** `typed` has the fields of the rejected form. */
async function accountWithProblem(
  typed: Readonly<Record<string, string>> & { readonly do: AccountAction },
  refused: Problem,
  api: ApiClient,
  { signIn, contact }: SiteContext,
): Promise<View> {
  const part = PART_OF[typed.do];
  const own = await readAccount(part, accountQuery.parse({}), api);
  const shown = { done: "", hasOrcid: signIn.orcid !== null, contact, refused };
  return accountView(part, { ...own, ...shown, typed: part === "keys" ? typed : null });
}

/** Reads the account: the first page of each list, or the requested one. */
async function readAccount(
  part: AccountPart,
  query: AccountQuery,
  api: ApiClient,
): Promise<Pick<OwnPage, "me" | "sessions">> {
  const me = await api.get(accountPage, "me");
  const turned = async <List extends z.ZodType>(
    list: List,
    name: RouteName,
    page: string,
    first: z.infer<List>,
  ): Promise<z.infer<List>> => (page === "" || page === "1" ? first : api.get(list, name, { query: { page } }));
  return {
    me: {
      ...me,
      profileClaims: await turned(profileClaimList, "profile-claims", query.claims, me.profileClaims),
      visibilityRequests: await turned(
        visibilityRequestList,
        "visibility-requests",
        query.requests,
        me.visibilityRequests,
      ),
      savedRecords: await turned(savedRecordList, "saved-records", query.saved, me.savedRecords),
      savedAuthors: await turned(savedAuthorList, "saved-authors", query.people, me.savedAuthors),
      savedRepositories: await turned(
        savedRepositoryList,
        "saved-repositories",
        query.repositories,
        me.savedRepositories,
      ),
      datasetSubmissions: await turned(
        datasetSubmissionList,
        "dataset-submissions",
        query.submitted,
        me.datasetSubmissions,
      ),
      measurements: await turned(measurementList, "measurements", query.measured, me.measurements),
    },
    sessions: part === "data" ? await api.get(sessionList, "sessions", { query: { page: query.places } }) : null,
  };
}

/**
 * Redirects to the sign-in view, and from there to a view that continues the action. Text that is too long for a URL stays
 * in the response, with a link to sign in.
 */
function signInFirst(
  fields: Readonly<Record<string, string>> & { readonly do: AccountAction },
  request: TypedRequest<"change-account">["request"],
  context: SiteContext,
): HttpResponse {
  const path = Object.hasOwn(CONTINUED, fields.do) ? urlOf("/me/continue", fields) : pathAfter(fields.do);
  if (returnPath.safeParse(path).success) return seeOther(urlOf("/sign-in", { returnTo: path }));
  return viewResponse(continueView(fields, false), surroundings(request, context), CACHE.never, 401);
}

function pathAfter(action: AccountAction): string {
  return ACCOUNT_PARTS[PART_OF[action]].path;
}

/** Returns the name of a dataset; null if the release does not have it. */
async function titleOf(id: string, api: ApiClient): Promise<string | null> {
  if (!recordId.safeParse(id).success) return null;
  const { data } = await api.list("records", { ids: id });
  return data[0] === undefined ? null : datasetName(data[0]);
}

/** Asks whether to continue an action. The rules of a claim are checked first. */
async function continueAction(
  { query, request, signed: { accountId } }: TypedRequest<"continue-action">,
  api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  if (!Object.hasOwn(CONTINUED, query.do)) return seeOther(OWN_PAGE);
  if (query.do !== "claim") {
    const fields = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
    return continueView(fields, true, await titleOf(query.recordId, api));
  }
  const work = async () => {
    const claim = await expectedClaim(accountId, query.authorSlug, context);
    return claimView({ ...claim, hasOrcid: context.signIn.orcid !== null });
  };
  return orShowForm(work, impossibleClaimView, request, context);
}

async function changeAccount(
  { body, request, signed }: TypedRequest<"change-account">,
  api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  if (signed === null) return signInFirst(body, request, context);
  const { route, call } = apiCallOf(body);
  const work = async () => {
    await api.get(ANY, route, call);
    return seeOther(urlOf(pathAfter(body.do), { done: body.do }));
  };
  const again = (problem: Problem) => {
    const impossible = body.do === "claim" ? impossibleClaimView(problem) : null;
    return impossible ?? accountWithProblem(body, problem, api, context);
  };
  return orShowForm(work, again, request, context);
}

async function addMeasurement(
  { body, request, signed }: TypedRequest<"keep-measurement">,
  api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  const form = { do: "measure", ...body } as const;
  if (signed === null) return signInFirst(form, request, context);
  const work = async () => {
    await request.charge("evaluation");
    await api.get(ANY, "new-measurement", { body });
    return seeOther(`${urlOf(pathAfter("measure"), { done: "measure" })}#measurements`);
  };
  return orShowForm(work, (problem) => accountWithProblem(form, problem, api, context), request, context);
}

async function getKey(
  { body, request, signed }: TypedRequest<"get-key">,
  api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  const form = { do: "get-key", ...body } as const;
  if (signed === null) return signInFirst(form, request, context);
  const { description, ...owner } = body;
  const sent = description.trim() === "" ? owner : body;
  const work = async () => keyView(await api.get(registrationResult, "register", { body: sent }));
  return orShowForm(work, (problem) => accountWithProblem(form, problem, api, context), request, context);
}

/** Without a session, the user confirms again after the sign-in. */
async function eraseAccount({ signed }: TypedRequest<"erase-now">, api: ApiClient): Promise<ViewOrResponse> {
  if (signed === null) return seeOther(urlOf("/sign-in", { returnTo: ERASE_PAGE }));
  await api.get(ANY, "erase-account");
  return erasedView();
}
