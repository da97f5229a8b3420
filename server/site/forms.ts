/** Handlers of the views with forms. */

import { z } from "zod";
import type { RouteName } from "../../api-static/routes/index.ts";
import type { SITE_FORM_ROUTES } from "../../api-static/routes/site-form-routes.ts";
import { improvementsOf } from "../../pipeline/evaluate/evaluation.ts";
import { STEERING } from "../../pipeline/reading/text.ts";
import { readPledges } from "../../pipeline/sources/pledges.ts";
import { profileClaimList } from "../../schemas/public/account/claim.ts";
import { accountPage } from "../../schemas/public/account/me.ts";
import { registrationResult } from "../../schemas/public/account/registration.ts";
import { measurementList, savedAuthorList, savedRecordList } from "../../schemas/public/account/saved.ts";
import { linkRequested, returnPath, sessionList, signedIn, signedOut } from "../../schemas/public/account/sign-in.ts";
import { datasetSubmissionList } from "../../schemas/public/account/submission.ts";
import { visibilityRequestList } from "../../schemas/public/account/visibility.ts";
import { draftResult, evaluationJob } from "../../schemas/public/api/evaluation.ts";
import { improvements } from "../../schemas/public/api/improvements.ts";
import { lookupResult } from "../../schemas/public/api/lookup.ts";
import { recordList } from "../../schemas/public/api/record.ts";
import { rubricDescriptor } from "../../schemas/public/api/rubric.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import type { AccountForm, DraftFields } from "../../schemas/public/site/forms.ts";
import { type AccountQuery, accountQuery } from "../../schemas/public/site/queries.ts";
import type { View } from "../../web/components/document.ts";
import { type CheckPage, checkView, draftForm, draftView, jobView } from "../../web/views/check.ts";
import { checkListView } from "../../web/views/check-list.ts";
import { accountView, erasedView, eraseView, keyView, type OwnPage } from "../../web/views/me.ts";
import { linkSentView, signInView } from "../../web/views/sign-in.ts";
import { identifiersIn, malformedBody } from "../http/read-body.ts";
import type { Handlers, TypedRequest } from "../http/routes.ts";
import {
  type ApiCall,
  type ApiClient,
  orShowForm,
  type SiteContext,
  seeOther,
  type ViewOrResponse,
  viewHandler,
} from "./page-handler.ts";

export function formHandlers(context: SiteContext): Handlers<keyof typeof SITE_FORM_ROUTES> {
  return {
    check: viewHandler("check", context, makeCheck),
    "new-check": viewHandler("new-check", context, (typedRequest, api) => startCheck(typedRequest, api, context)),
    "check-draft": viewHandler("check-draft", context, (typedRequest, api) => checkDraft(typedRequest, api, context)),
    "check-job": viewHandler("check-job", context, makeJob),
    "check-list": viewHandler("check-list", context, async () =>
      checkListView({ typed: "", refused: null, result: null }),
    ),
    "look-up-list": viewHandler("look-up-list", context, (typedRequest, api) => lookUpList(typedRequest, api, context)),
    "sign-in": viewHandler("sign-in", context, (typedRequest) => makeSignIn(typedRequest, context)),
    "ask-link": viewHandler("ask-link", context, (typedRequest, api) => askLink(typedRequest, api, context)),
    "use-link": viewHandler("use-link", context, (typedRequest, api) => useLink(typedRequest, api, context)),
    "sign-out": viewHandler("sign-out", context, (_asked, api) => signOut(api)),
    account: viewHandler("account", context, (typedRequest, api) => makeAccount(typedRequest, api, context)),
    "change-account": viewHandler("change-account", context, (typedRequest, api) =>
      changeAccount(typedRequest, api, context),
    ),
    "keep-measurement": viewHandler("keep-measurement", context, (typedRequest, api) =>
      addMeasurement(typedRequest, api, context),
    ),
    "get-key": viewHandler("get-key", context, (typedRequest, api) => getKey(typedRequest, api, context)),
    "erase-page": viewHandler("erase-page", context, async () => eraseView(null)),
    "erase-now": viewHandler("erase-now", context, (_asked, api) => eraseAccount(api)),
  };
}

/** The URL after a form that does not name a valid one. */
const OWN_PAGE = "/me";

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
    return linkSentView(null);
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
  return orShowForm(work, linkSentView, request, context);
}

async function signOut(api: ApiClient): Promise<ViewOrResponse> {
  await api.get(signedOut, "logout");
  return seeOther("/");
}

const VERSION = "2.0";

async function sources(): Promise<CheckPage["sources"]> {
  return [...(await readPledges()).values()].map(({ source, name }) => ({ source, name }));
}

async function checkPage(of: Partial<CheckPage>): Promise<View> {
  return checkView({ identifier: "", source: "", typed: {}, refused: null, sources: await sources(), ...of });
}

function makeCheck({ query }: TypedRequest<"check">): Promise<View> {
  return checkPage(query);
}

/** Redirects to a published dataset. Otherwise starts a job, whose view reloads itself. */
function startCheck(
  { body, request }: TypedRequest<"new-check">,
  api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  const { identifier } = body;
  const work = async () => {
    const published = await api.get(recordList, "records", { query: { identifier: identifier.trim().slice(0, 512) } });
    const [record] = published.data;
    if (record !== undefined) return seeOther(`/datasets/${record.id}`);
    const job = await api.get(evaluationJob, "new-evaluation-job", { body: { identifier, rubricVersion: VERSION } });
    return seeOther(`/check/${job.id}`);
  };
  return orShowForm(
    work,
    (problem) => checkPage({ identifier, refused: { of: "dataset", problem } }),
    request,
    context,
  );
}

async function makeJob({ key }: TypedRequest<"check-job">, api: ApiClient): Promise<View> {
  const job = await api.get(evaluationJob, "evaluation-job", { key });
  const record = job.result?.evaluation.record;
  const steps = record === undefined || record.scoreStatus === "failed" ? [] : improvementsOf(record);
  return jobView(job, steps, await questions(api));
}

/** Uses the selected file, else the pasted text, else the fields of the form. */
function checkDraft(
  { body, request }: TypedRequest<"check-draft">,
  api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  const { file, pasted, source, ...fields } = body;
  const metadata = file.trim() === "" ? pasted : file;
  const typed = { ...fields, pasted: metadata };
  const work = async () => {
    const isForm = metadata.trim() === "";
    if (isForm && Object.values({ ...fields, access: "" }).every((value) => value.trim() === "")) {
      throw malformedBody([{ path: "", message: "is empty; choose a file, paste metadata, or fill in the form" }]);
    }
    const query = { source: isForm ? FORM_SOURCE : source, rubricVersion: VERSION };
    const sent = Buffer.from(isForm ? deposited(fields) : metadata);
    const result = await api.get(draftResult, "draft", { query, body: sent });
    const known = await sources();
    const name = known.find((each) => each.source === result.draft.source)?.name ?? result.draft.source;
    return draftView(result, name, await questions(api), draftForm({ source, sources: known, typed }));
  };
  return orShowForm(
    work,
    (problem) => checkPage({ source, typed, refused: { of: "draft", problem } }),
    request,
    context,
  );
}

/** Responds with a view of the datasets, or with CSV. */
function lookUpList(
  { body, request }: TypedRequest<"look-up-list">,
  api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  const text = body.file.trim() === "" ? body.identifiers : body.file;
  const work = async () => {
    const isCsv = body.file.trim() !== "" && /^[^\n]*,/.test(text);
    // Pasted texts often have invisible characters.
    const identifiers = (await identifiersIn(text, isCsv)).map((each) => each.replace(STEERING, ""));
    if (body.form === "csv") {
      const response = await api.answer("lookup", { body: { identifiers }, accept: "text/csv" });
      const disposition = 'attachment; filename="list.csv"';
      return { ...response, headers: { ...response.headers, "content-disposition": disposition } };
    }
    const { data } = await api.get(lookupResult, "lookup", { body: { identifiers } });
    const ids = [...new Set(data.flatMap(({ record }) => record?.id ?? []))];
    const result =
      ids.length === 0 ? null : await api.get(improvements, "improvements", { query: { ids: ids.join(",") } });
    const names = new Map((await sources()).map(({ source, name }) => [source, name]));
    return checkListView({
      typed: identifiers.join("\n"),
      refused: null,
      result: { data, improvements: result, names },
    });
  };
  return orShowForm(work, (refused) => checkListView({ typed: text, refused, result: null }), request, context);
}

async function questions(api: ApiClient): Promise<ReadonlyMap<string, string>> {
  const { signals } = await api.get(rubricDescriptor, "rubric", { key: VERSION });
  return new Map(signals.map(({ id, question }) => [id, question]));
}

/** The source whose deposit format the form has. */
const FORM_SOURCE = "zenodo";

const lines = (text: string) =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");

function parts(line: string): readonly [string, string] {
  const at = line.lastIndexOf(";");
  return at < 0 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

function deposited(fields: DraftFields): string {
  const {
    title,
    description,
    methods,
    keywords,
    creators,
    contributors,
    licence,
    access,
    references,
    related,
    grants,
    files,
  } = fields;
  const optional = (name: string, value: unknown, text: string) => (text.trim() === "" ? {} : { [name]: value });
  const metadata = {
    upload_type: "dataset",
    title,
    creators: lines(creators).map((line) => {
      const [name, orcid] = parts(line);
      return orcid === "" ? { name } : { name, orcid };
    }),
    ...optional("description", description, description),
    ...optional("method", methods, methods),
    ...optional(
      "keywords",
      keywords
        .split(",")
        .map((word) => word.trim())
        .filter((word) => word !== ""),
      keywords,
    ),
    ...optional(
      "contributors",
      lines(contributors).map((line) => ({ name: parts(line)[0], type: parts(line)[1] || "Other" })),
      contributors,
    ),
    ...optional("license", licence.trim(), licence),
    ...optional("access_right", access, access),
    ...optional("references", lines(references), references),
    ...optional(
      "related_identifiers",
      lines(related).map((identifier) => ({ identifier, relation: "isSupplementTo" })),
      related,
    ),
    ...optional(
      "grants",
      lines(grants).map((line) => ({ funder: { name: parts(line)[0] }, code: parts(line)[1] || line })),
      grants,
    ),
  };
  return JSON.stringify({ metadata, files: lines(files).map((key) => ({ key })) });
}

/** Messages after an action, by the parameter `done`. Other texts are not shown. */
const DONE: Readonly<Record<string, string>> = {
  claim: "You have claimed the page. The state of your claim is shown below.",
  "withdraw-claim": "Withdrawn.",
  visibility: "Your request was sent. A moderator decides. The change is visible within a minute after that.",
  "withdraw-visibility": "Withdrawn.",
  "save-record": "Saved.",
  "unsave-record": "Removed.",
  "note-record": "Your note has been changed.",
  "note-author": "Your note has been changed.",
  "save-author": "Saved.",
  "unsave-author": "Removed.",
  submit: "Submitted.",
  "withdraw-submission": "Withdrawn.",
  "delete-measurement": "Deleted.",
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
    case "submit":
      return { route: "new-dataset-submission", call: { body: { identifier: form.identifier } } };
    case "withdraw-submission":
      return { route: "withdraw-dataset-submission", call: { key: form.id } };
    case "delete-measurement":
      return { route: "delete-measurement", call: { key: form.id } };
    case "end-session":
      return { route: "session", call: { key: form.id } };
    default:
      return form satisfies never;
  }
}

async function makeAccount(
  { query }: TypedRequest<"account">,
  api: ApiClient,
  { signIn, contact }: SiteContext,
): Promise<View> {
  const own = await readAccount(query, api);
  const done = Object.hasOwn(DONE, query.done) ? (DONE[query.done] ?? "") : "";
  return accountView({ ...own, done, hasOrcid: signIn.orcid !== null, contact, refused: null });
}

async function accountWithProblem(refused: Problem, api: ApiClient, { signIn, contact }: SiteContext): Promise<View> {
  const own = await readAccount(accountQuery.parse({}), api);
  return accountView({ ...own, done: "", hasOrcid: signIn.orcid !== null, contact, refused });
}

/** Reads the account: the first part of each list, or the requested part. */
async function readAccount(query: AccountQuery, api: ApiClient): Promise<Pick<OwnPage, "me" | "sessions">> {
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
      datasetSubmissions: await turned(
        datasetSubmissionList,
        "dataset-submissions",
        query.submitted,
        me.datasetSubmissions,
      ),
      measurements: await turned(measurementList, "measurements", query.measured, me.measurements),
    },
    sessions: await api.get(sessionList, "sessions", { query: { page: query.places } }),
  };
}

function changeAccount(
  { body, request }: TypedRequest<"change-account">,
  api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  const { route, call } = apiCallOf(body);
  const work = async () => {
    await api.get(ANY, route, call);
    return seeOther(`/me?done=${body.do}`);
  };
  return orShowForm(work, (problem) => accountWithProblem(problem, api, context), request, context);
}

function addMeasurement(
  { body, request }: TypedRequest<"keep-measurement">,
  api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  const work = async () => {
    await api.get(ANY, "new-measurement", { body });
    return seeOther("/me?done=measure#measurements");
  };
  return orShowForm(work, (problem) => accountWithProblem(problem, api, context), request, context);
}

function getKey(
  { body, request }: TypedRequest<"get-key">,
  api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  const { description, ...owner } = body;
  const sent = description.trim() === "" ? owner : body;
  const work = async () => keyView(await api.get(registrationResult, "register", { body: sent }));
  return orShowForm(work, (problem) => accountWithProblem(problem, api, context), request, context);
}

async function eraseAccount(api: ApiClient): Promise<ViewOrResponse> {
  await api.get(ANY, "erase-account");
  return erasedView();
}
