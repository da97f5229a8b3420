/** Handlers of the sign-in views and of the account views, with their forms. */

import { z } from "zod";
import { routeNamed } from "../../api-static/routes/index.ts";
import { CACHE } from "../../api-static/routes/route.ts";
import type { SITE_FORM_ROUTES } from "../../api-static/routes/site-form-routes.ts";
import { sourceNames } from "../../pipeline/sources/pledges.ts";
import type { AccountAction, AccountPart } from "../../schemas/public/account/items.ts";
import {
  ACCOUNT_ACTIONS,
  ACCOUNT_ITEMS,
  type AccountPage,
  type ActionName,
  accountPage,
} from "../../schemas/public/account/me.ts";
import { problemReportRequest } from "../../schemas/public/account/problem-report.ts";
import { registrationResult } from "../../schemas/public/account/registration.ts";
import { linkRequested, returnPath, sessionList, signedIn, signedOut } from "../../schemas/public/account/sign-in.ts";
import { improvements } from "../../schemas/public/api/improvements.ts";
import { recordId } from "../../schemas/public/api/record.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import type { AccountForm } from "../../schemas/public/site/forms.ts";
import { accountQuery } from "../../schemas/public/site/queries.ts";
import type { View } from "../../web/components/document.ts";
import { addQuery } from "../../web/components/navigation.ts";
import { datasetName } from "../../web/components/record-rows.ts";
import { SAVED_NOTE } from "../../web/components/saving.ts";
import { claimView, continuedAction, continueView, impossibleClaimView } from "../../web/views/continue.ts";
import {
  ACCOUNT_PARTS,
  accountView,
  erasedView,
  eraseView,
  keyView,
  type OwnPage,
  type OwnResearcher,
  unsubscribedView,
  unsubscribeView,
} from "../../web/views/me.ts";
import { reportedView, reportView } from "../../web/views/report.ts";
import { linkSentView, rejectedLinkView, signInView } from "../../web/views/sign-in.ts";
import { accountOverview } from "../accounts/account.ts";
import { unsubscribe } from "../accounts/change-mails.ts";
import { expectedClaim } from "../accounts/claims.ts";
import { addReport } from "../accounts/problem-reports.ts";
import { readBody } from "../http/read-body.ts";
import type { Session } from "../http/read-request.ts";
import type { HttpResponse } from "../http/response.ts";
import { seeOther } from "../http/response.ts";
import { type Handlers, readQuery, type TypedRequest } from "../http/routes.ts";
import { checkHandlers } from "./checks.ts";
import { findPublished } from "./find.ts";
import {
  type ApiCall,
  type ApiClient,
  orShowForm,
  readRefererPath,
  type SiteContext,
  surroundings,
  unless,
  type ViewOrResponse,
  viewHandlers,
  viewResponse,
} from "./page-handler.ts";
import { readSIndexIf } from "./s-index.ts";

export function formHandlers(context: SiteContext): Handlers<keyof typeof SITE_FORM_ROUTES> {
  const part = (of: AccountPart) => (typedRequest: Pick<TypedRequest<"account">, "query" | "signed">, api: ApiClient) =>
    makeAccount(of, typedRequest, api, context);
  return {
    ...checkHandlers(context),
    ...viewHandlers(context, {
      "sign-in": makeSignIn,
      "ask-link": askLink,
      "use-link": useLink,
      "sign-out": signOut,
      "report-page": async ({ query: { page } }) => reportView({ page, text: "", email: "" }, null),
      "send-report": sendReport,
      account: part("profile"),
      "account-saved": part("saved"),
      "account-submissions": part("submissions"),
      "account-keys": part("keys"),
      "account-data": part("data"),
      "change-account": (typedRequest, api) => changeAccount(typedRequest.body, typedRequest, api, context),
      "continue-action": continueAction,
      "keep-measurement": (typedRequest, api) =>
        changeAccount({ do: "measure", ...typedRequest.body }, typedRequest, api, context),
      "get-key": getKey,
      "unsubscribe-page": async ({ key }) => unsubscribeView(key),
      unsubscribe: async ({ key }) => {
        await unsubscribe(key, context.accounts);
        return unsubscribedView();
      },
      "erase-page": async () => eraseView(null),
      "erase-now": eraseAccount,
    }),
  };
}

/** The view that follows a form whose own destination is missing or invalid. */
const OWN_PAGE = "/me";
const ERASE_PAGE = "/me/erase";

function destinationIn(text: string): string {
  const place = returnPath.safeParse(text);
  return place.success && text !== "" ? place.data : OWN_PAGE;
}

async function makeSignIn(
  { query, signed }: TypedRequest<"sign-in">,
  _api: ApiClient,
  { signIn }: SiteContext,
): Promise<ViewOrResponse> {
  const returnTo = destinationIn(query.returnTo);
  if (signed !== null) return seeOther(returnTo);
  return signInView({ returnTo, email: "", hasOrcid: signIn.orcid !== null, rejected: null });
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
  return orShowForm(work, (rejected) => signInView({ returnTo, email, hasOrcid, rejected }), request, context);
}

/** Signs in with a link that the user pasted, or with the token of a link alone. */
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

async function sendReport(
  { body, request, signed }: TypedRequest<"send-report">,
  _api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  const { website, email, ...report } = body;
  // People do not see the field `website`, so only programs fill it in.
  const { data: page = null } = returnPath.safeParse(report.page);
  if (website !== "") return reportedView(page);
  const sender = { accountId: signed?.accountId ?? null, address: request.caller.address };
  const work = async () => {
    const sent = readBody(problemReportRequest, email.trim() === "" ? report : { ...report, email });
    await addReport(sent, sender, { ...context, outbox: context.signIn.outbox, site: context.signIn.site });
    return reportedView(page);
  };
  return orShowForm(work, (rejected) => reportView(body, rejected), request, context);
}

async function signOut(_asked: TypedRequest<"sign-out">, api: ApiClient): Promise<ViewOrResponse> {
  await api.get(signedOut, "logout");
  return seeOther("/");
}

/** An action of the account view. `get-key` is separate, because its endpoint needs no account. */
type FormName = ActionName | "get-key";

/** Returns the part of the account view that shows the result of an action. */
function getPart(action: FormName): AccountPart {
  return action === "get-key" ? "keys" : ACCOUNT_ACTIONS[action].part;
}

const ANY = z.looseObject({});

/** The fields of a form or of a query by name. */
type Texts = Readonly<Record<string, string>>;

/** Returns the API call of a form. Empty optional fields are left out. */
function buildApiCall(form: AccountForm): ApiCall {
  const { do: _action, from: _from, id, ...fields }: Texts = form;
  if (id !== undefined) return { key: id };
  const { optional = [], constant = {} }: AccountAction = ACCOUNT_ACTIONS[form.do];
  const sent = Object.entries(fields).filter(([name, value]) => value !== "" || !optional.includes(name));
  return sent.length === 0 ? {} : { body: { ...Object.fromEntries(sent), ...constant } };
}

/** Returns the message after an action. Any other value in the URL gives none, so that no link can show its own text. */
function messageAfter(done: string): string {
  return Object.entries(ACCOUNT_ACTIONS).find(([name]) => name === done)?.[1].done ?? "";
}

async function makeAccount(
  part: AccountPart,
  { query, signed }: Pick<TypedRequest<"account">, "query" | "signed">,
  api: ApiClient,
  context: SiteContext,
): Promise<View> {
  const own = await readAccount(part, query, signed, api, context);
  return accountView(part, { ...own, done: messageAfter(query.done), rejected: null, typed: null });
}

/** Shows the account view with the problem of a form. `typed` has the fields of that form. */
async function accountWithProblem(
  typed: Texts & { readonly do: FormName },
  rejected: Problem,
  signed: Session,
  api: ApiClient,
  context: SiteContext,
): Promise<View> {
  const part = getPart(typed.do);
  const own = await readAccount(part, accountQuery.parse({}), signed, api, context);
  return accountView(part, { ...own, done: "", rejected, typed: part === "keys" ? typed : null });
}

/** Reads the account for its view: of each list the requested page, by default the first. */
async function readAccount(
  part: AccountPart,
  query: Texts,
  { accountId }: Session,
  api: ApiClient,
  context: SiteContext,
): Promise<Omit<OwnPage, "done" | "rejected" | "typed">> {
  const pages = Object.entries(ACCOUNT_ITEMS).flatMap(([name, { page }]) => {
    const asked = page === null ? "" : (query[page] ?? "");
    return asked === "" ? [] : [[name, readQuery(routeNamed("sessions"), `page=${encodeURIComponent(asked)}`)]];
  });
  const me = accountPage.parse(await accountOverview(accountId, context, Object.fromEntries(pages)));
  return {
    me,
    researchers: part === "profile" ? await ownResearchers(me, api, context) : [],
    repositories: part === "saved" ? await readRepositories(api) : new Map(),
    origin: context.signIn.site.origin,
    sessions: part === "data" ? await api.get(sessionList, "sessions", { query: { page: query.places ?? "" } }) : null,
    hasOrcid: context.signIn.orcid !== null,
    contact: context.contact,
  };
}

/** Returns the average scores of the repositories of the active release by label; none if no release is active. */
async function readRepositories(api: ApiClient): Promise<OwnPage["repositories"]> {
  const metrics = await unless(["no-release", "rubric-not-published"], api.metrics());
  if (metrics === null) return new Map();
  return new Map(metrics.repositoryBreakdown.map((each) => [each.repository, each]));
}

/** Largest number of claimed researchers that one page shows. More than one claim is rare. */
const MAX_RESEARCHERS = 3;

/** Reads the researchers for whom the user has an approved claim, except hidden ones, because they have no page to show. */
async function ownResearchers(
  { profileClaims, hidden }: AccountPage,
  api: ApiClient,
  { movements }: Pick<SiteContext, "movements">,
): Promise<OwnResearcher[]> {
  const version = PUBLIC_VERSIONS[0];
  const claimed = profileClaims.data.flatMap(({ state, researcher }) =>
    state !== "approved" || researcher === null || hidden.some(({ authorId }) => authorId === researcher.id)
      ? []
      : [researcher],
  );
  const own: OwnResearcher[] = [];
  for (const researcher of claimed.slice(0, MAX_RESEARCHERS)) {
    const { id } = researcher;
    const report = await unless(
      ["rubric-not-published"],
      api.get(improvements, "improvements", { query: { author: id, rubric: version } }),
    );
    if (report === null) continue;
    const { movement, sIndex } = await api.query(async ({ receipt, engine }) => ({
      movement: (await movements.of({ kind: "researcher", value: id }, [receipt], engine, version)).at(0) ?? null,
      sIndex: await readSIndexIf(engine, id, version),
    }));
    own.push({ researcher, movement, report, sIndex, sources: sourceNames() });
  }
  return own;
}

/**
 * Redirects to the sign-in view, and from there to a view that continues the action. If the typed text is too long for
 * a URL, the response contains it, with a link to sign in.
 */
function signInFirst(
  fields: Texts & { readonly do: FormName },
  request: TypedRequest<"change-account">["request"],
  context: SiteContext,
): HttpResponse {
  const continued = continuedAction(fields.do);
  if (continued === null) return seeOther(addQuery("/sign-in", { returnTo: pathAfter(fields.do) }));
  const from = pageBefore(fields, request, context) ?? "";
  const path = [from, ""]
    .map((each) => addQuery("/me/continue", { ...fields, from: each }))
    .find((each) => returnPath.safeParse(each).success);
  if (path !== undefined) return seeOther(addQuery("/sign-in", { returnTo: path }));
  const view = continueView({ ...fields, from }, continued, false);
  return viewResponse(view, surroundings(request, context), CACHE.never, 401);
}

/** Returns the path, without a fragment, of the public page that sent the form; null if the account view shows the result. */
function pageBefore(
  form: Texts & { readonly do: FormName },
  { headers }: Pick<TypedRequest<"change-account">["request"], "headers">,
  context: SiteContext,
): string | null {
  if (form.do === "get-key") return null;
  const { returns }: AccountAction = ACCOUNT_ACTIONS[form.do];
  if (returns !== true) return null;
  return publicPage(form.from || readRefererPath(headers.referer, context));
}

/**
 * Returns the path without its fragment; null if the path is not that of a public page. It comes from a form or a
 * header, so it can be any text.
 */
function publicPage(path: string): string | null {
  const [page = ""] = path.split("#");
  return returnPath.safeParse(page).success && !OWN_PAGES.test(page) ? page : null;
}

const OWN_PAGES = /^\/me(?:[/?]|$)/;

function pathAfter(action: FormName): string {
  return ACCOUNT_PARTS[getPart(action)].path;
}

/** Returns the name of a dataset; null if the release does not have it. */
async function findTitle(id: string, api: ApiClient): Promise<string | null> {
  if (!recordId.safeParse(id).success) return null;
  const { data } = await api.list("records", { ids: id });
  return data[0] === undefined ? null : datasetName(data[0]);
}

/** Responds with a view that asks whether to continue an action. For a claim, its rules are checked first. */
async function continueAction(
  { query, request, signed: { accountId } }: TypedRequest<"continue-action">,
  api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  const continued = continuedAction(query.do);
  if (continued === null) return seeOther(OWN_PAGE);
  const { recordId: id = "", authorSlug = "" }: Texts = query;
  if (query.do !== "claim") {
    const given = { ...query, from: publicPage(query.from) ?? "" };
    const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
    return continueView(fields, continued, true, await findTitle(id, api));
  }
  const work = async () => {
    const claim = await expectedClaim(accountId, authorSlug, context);
    return claimView({ ...claim, hasOrcid: context.signIn.orcid !== null });
  };
  return orShowForm(work, impossibleClaimView, request, context);
}

/** Calls the endpoint of a form, and shows the part of the account with the result. */
async function changeAccount(
  form: AccountForm,
  { request, signed }: Pick<TypedRequest<"change-account">, "request" | "signed">,
  api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  if (signed === null) return signInFirst(form, request, context);
  const { route, anchor }: AccountAction = ACCOUNT_ACTIONS[form.do];
  const { identifier = "" }: Texts = form;
  const work = async () => {
    const published = form.do === "submit" ? (await findPublished(identifier.trim(), api)).id : null;
    if (published !== null) return seeOther(`/datasets/${published}`);
    const { quota } = routeNamed(route);
    // Calls within the server do not count towards the quota of the endpoint.
    if (quota !== null) await request.charge(quota);
    await api.get(ANY, ACCOUNT_ACTIONS[form.do].route, buildApiCall(form));
    const page = pageBefore(form, request, context);
    if (page !== null) return seeOther(`${page}#${SAVED_NOTE}`);
    return seeOther(`${addQuery(pathAfter(form.do), { done: form.do })}${anchor === undefined ? "" : `#${anchor}`}`);
  };
  const again = (problem: Problem) => {
    const impossible = form.do === "claim" ? impossibleClaimView(problem) : null;
    return impossible ?? accountWithProblem(form, problem, signed, api, context);
  };
  return orShowForm(work, again, request, context);
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
  const again = (problem: Problem) => accountWithProblem(form, problem, signed, api, context);
  return orShowForm(work, again, request, context);
}

/** Deletes the account. Without a session, the user has to sign in and confirm again. */
async function eraseAccount({ signed }: TypedRequest<"erase-now">, api: ApiClient): Promise<ViewOrResponse> {
  if (signed === null) return seeOther(addQuery("/sign-in", { returnTo: ERASE_PAGE }));
  await api.get(ANY, "erase-account");
  return erasedView();
}
