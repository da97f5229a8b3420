/** Handlers of the views with forms. */

import { z } from "zod";
import type { RouteName } from "../../api-static/routes/index.ts";
import type { SITE_FORM_ROUTES } from "../../api-static/routes/site-form-routes.ts";
import { improvementsOf } from "../../pipeline/evaluate/evaluation.ts";
import { readPledges } from "../../pipeline/sources/pledges.ts";
import { profileClaimList } from "../../schemas/public/account/claim.ts";
import { accountPage } from "../../schemas/public/account/me.ts";
import { registrationResult } from "../../schemas/public/account/registration.ts";
import { measurementList, savedAuthorList, savedRecordList } from "../../schemas/public/account/saved.ts";
import { linkRequested, returnPath, sessionList, signedIn, signedOut } from "../../schemas/public/account/sign-in.ts";
import { datasetSubmissionList } from "../../schemas/public/account/submission.ts";
import { visibilityRequestList } from "../../schemas/public/account/visibility.ts";
import { draftResult, evaluationJob } from "../../schemas/public/api/evaluation.ts";
import { recordList } from "../../schemas/public/api/record.ts";
import { rubricDescriptor } from "../../schemas/public/api/rubric.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import type { AccountForm, DraftFields } from "../../schemas/public/site/forms.ts";
import { type AccountQuery, accountQuery } from "../../schemas/public/site/queries.ts";
import type { View } from "../../web/components/document.ts";
import { type CheckPage, checkView, draftForm, draftView, jobView } from "../../web/views/check.ts";
import { accountView, erasedView, eraseView, keyView, type OwnPage } from "../../web/views/me.ts";
import { linkSentView, signInView } from "../../web/views/sign-in.ts";
import { malformedBody } from "../http/read-body.ts";
import type { Asked, Handlers } from "../http/routes.ts";
import {
  type Asking,
  type Made,
  orShowAgain,
  pageHandler,
  type Question,
  type SiteContext,
  seeOther,
} from "./page-handler.ts";

export function doingHandlers(context: SiteContext): Handlers<keyof typeof SITE_FORM_ROUTES> {
  return {
    check: pageHandler("check", context, makeCheck),
    "new-check": pageHandler("new-check", context, (asked, api) => check(asked, api, context)),
    "check-draft": pageHandler("check-draft", context, (asked, api) => checkDraft(asked, api, context)),
    "check-job": pageHandler("check-job", context, makeJob),
    "sign-in": pageHandler("sign-in", context, (asked) => makeSignIn(asked, context)),
    "ask-link": pageHandler("ask-link", context, (asked, api) => askLink(asked, api, context)),
    "use-link": pageHandler("use-link", context, (asked, api) => useLink(asked, api, context)),
    "sign-out": pageHandler("sign-out", context, (_asked, api) => signOut(api)),
    account: pageHandler("account", context, (asked, api) => makeAccount(asked, api, context)),
    "change-account": pageHandler("change-account", context, (asked, api) => change(asked, api, context)),
    "keep-measurement": pageHandler("keep-measurement", context, (asked, api) => measure(asked, api, context)),
    "get-key": pageHandler("get-key", context, (asked, api) => getKey(asked, api, context)),
    "erase-page": pageHandler("erase-page", context, async () => eraseView(null)),
    "erase-now": pageHandler("erase-now", context, (_asked, api) => erase(api)),
  };
}

/** The destination if the form names no valid one. */
const OWN_PAGE = "/me";

function placeIn(text: string): string {
  const place = returnPath.safeParse(text);
  return place.success && text !== "" ? place.data : OWN_PAGE;
}

async function makeSignIn({ query, signed }: Asked<"sign-in">, { signIn }: SiteContext): Promise<Made> {
  const returnTo = placeIn(query.returnTo);
  if (signed !== null) return seeOther(returnTo);
  return signInView({ returnTo, email: "", hasOrcid: signIn.orcid !== null, refused: null });
}

function askLink({ body, request }: Asked<"ask-link">, api: Asking, context: SiteContext): Promise<Made> {
  const { email } = body;
  const returnTo = placeIn(body.returnTo);
  const work = async () => {
    await api.get(linkRequested, "magic-request", { body: { email: email.trim(), returnTo } });
    return linkSentView(null);
  };
  const hasOrcid = context.signIn.orcid !== null;
  return orShowAgain(work, (refused) => signInView({ returnTo, email, hasOrcid, refused }), request, context);
}

/** Accepts a pasted link or its token alone. */
function useLink({ body, request }: Asked<"use-link">, api: Asking, context: SiteContext): Promise<Made> {
  const token = body.link.trim().split("token=").at(-1) ?? "";
  const work = async () => {
    const { returnTo } = await api.get(signedIn, "magic-consume", { body: { token } });
    return seeOther(returnTo);
  };
  return orShowAgain(work, linkSentView, request, context);
}

async function signOut(api: Asking): Promise<Made> {
  await api.get(signedOut, "logout");
  return seeOther("/");
}

/** The current version. */
const VERSION = "2.0";

async function sources(): Promise<CheckPage["sources"]> {
  return [...(await readPledges()).values()].map(({ source, name }) => ({ source, name }));
}

async function page(of: Partial<CheckPage>): Promise<View> {
  return checkView({ identifier: "", source: "", typed: {}, refused: null, sources: await sources(), ...of });
}

function makeCheck({ query }: Asked<"check">): Promise<View> {
  return page(query);
}

/** Redirects to a published dataset; otherwise starts a job, whose view reloads itself. */
function check({ body, request }: Asked<"new-check">, api: Asking, context: SiteContext): Promise<Made> {
  const { identifier } = body;
  const work = async () => {
    const published = await api.get(recordList, "records", { query: { identifier: identifier.trim().slice(0, 512) } });
    const [record] = published.data;
    if (record !== undefined) return seeOther(`/datasets/${record.id}`);
    const job = await api.get(evaluationJob, "new-evaluation-job", { body: { identifier, rubricVersion: VERSION } });
    return seeOther(`/check/${job.id}`);
  };
  return orShowAgain(work, (problem) => page({ identifier, refused: { of: "dataset", problem } }), request, context);
}

async function makeJob({ key }: Asked<"check-job">, api: Asking): Promise<View> {
  const job = await api.get(evaluationJob, "evaluation-job", { key });
  const record = job.result?.evaluation.record;
  const steps = record === undefined || record.scoreStatus === "failed" ? [] : improvementsOf(record);
  return jobView(job, steps, await questions(api));
}

/** Uses the chosen file, else the pasted text, else the fields of the form. */
function checkDraft({ body, request }: Asked<"check-draft">, api: Asking, context: SiteContext): Promise<Made> {
  const { file, pasted, source, ...fields } = body;
  const metadata = file.trim() === "" ? pasted : file;
  const typed = { ...fields, pasted: metadata };
  const work = async () => {
    const isForm = metadata.trim() === "";
    if (isForm && Object.values({ ...fields, access: "" }).every((value) => value.trim() === "")) {
      throw malformedBody([{ path: "", message: "is empty: choose a file, paste metadata, or fill in the form" }]);
    }
    const query = { source: isForm ? FORM_SOURCE : source, rubricVersion: VERSION };
    const sent = Buffer.from(isForm ? deposited(fields) : metadata);
    const result = await api.get(draftResult, "draft", { query, body: sent });
    const known = await sources();
    const name = known.find((each) => each.source === result.draft.source)?.name ?? result.draft.source;
    return draftView(result, name, await questions(api), draftForm({ source, sources: known, typed }));
  };
  return orShowAgain(work, (problem) => page({ source, typed, refused: { of: "draft", problem } }), request, context);
}

async function questions(api: Asking): Promise<ReadonlyMap<string, string>> {
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

/** Splits a line at its last semicolon. */
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
  const given = (name: string, value: unknown, text: string) => (text.trim() === "" ? {} : { [name]: value });
  const metadata = {
    upload_type: "dataset",
    title,
    creators: lines(creators).map((line) => {
      const [name, orcid] = parts(line);
      return orcid === "" ? { name } : { name, orcid };
    }),
    ...given("description", description, description),
    ...given("method", methods, methods),
    ...given(
      "keywords",
      keywords
        .split(",")
        .map((word) => word.trim())
        .filter((word) => word !== ""),
      keywords,
    ),
    ...given(
      "contributors",
      lines(contributors).map((line) => ({ name: parts(line)[0], type: parts(line)[1] || "Other" })),
      contributors,
    ),
    ...given("license", licence.trim(), licence),
    ...given("access_right", access, access),
    ...given("references", lines(references), references),
    ...given(
      "related_identifiers",
      lines(related).map((identifier) => ({ identifier, relation: "isSupplementTo" })),
      related,
    ),
    ...given(
      "grants",
      lines(grants).map((line) => ({ funder: { name: parts(line)[0] }, code: parts(line)[1] || line })),
      grants,
    ),
  };
  return JSON.stringify({ metadata, files: lines(files).map((key) => ({ key })) });
}

/** Messages after an action, by the parameter `done`. Only these texts are shown. */
const DONE: Readonly<Record<string, string>> = {
  claim: "You have claimed the page. The state of your claim is shown below.",
  "withdraw-claim": "Withdrawn.",
  visibility: "Your request was sent. A moderator decides. The change is visible within a minute after that.",
  "withdraw-visibility": "Withdrawn.",
  "save-record": "Saved.",
  "unsave-record": "Removed.",
  "note-record": "Your note was changed.",
  "note-author": "Your note was changed.",
  "save-author": "Saved.",
  "unsave-author": "Removed.",
  submit: "Submitted.",
  "withdraw-submission": "Withdrawn.",
  "delete-measurement": "Deleted.",
  "end-session": "You have ended the session.",
  measure: "Checked and saved.",
};

const ANY = z.looseObject({});

type Doing = { readonly route: RouteName; readonly question: Question };

/** Returns the API call of a form. Empty notes and reasons are left out. */
function doingOf(form: AccountForm): Doing {
  switch (form.do) {
    case "claim":
      return { route: "new-profile-claim", question: { body: { authorSlug: form.authorSlug } } };
    case "withdraw-claim":
      return { route: "withdraw-profile-claim", question: { key: form.id } };
    case "visibility": {
      const { authorSlug, requestType, reason } = form;
      return {
        route: "new-visibility-request",
        question: { body: { authorSlug, requestType, ...(reason === "" ? {} : { reason }) } },
      };
    }
    case "withdraw-visibility":
      return { route: "withdraw-visibility-request", question: { key: form.id } };
    case "save-record":
      return {
        route: "save-record",
        question: { body: { recordId: form.recordId, ...(form.note === "" ? {} : { note: form.note }) } },
      };
    // Here an empty note removes the previous one.
    case "note-record":
      return { route: "save-record", question: { body: { recordId: form.recordId, note: form.note } } };
    case "note-author":
      return { route: "save-author", question: { body: { authorSlug: form.authorSlug, note: form.note } } };
    case "unsave-record":
      return { route: "unsave-record", question: { key: form.id } };
    case "save-author":
      return {
        route: "save-author",
        question: { body: { authorSlug: form.authorSlug, ...(form.note === "" ? {} : { note: form.note }) } },
      };
    case "unsave-author":
      return { route: "unsave-author", question: { key: form.id } };
    case "submit":
      return { route: "new-dataset-submission", question: { body: { identifier: form.identifier } } };
    case "withdraw-submission":
      return { route: "withdraw-dataset-submission", question: { key: form.id } };
    case "delete-measurement":
      return { route: "delete-measurement", question: { key: form.id } };
    case "end-session":
      return { route: "session", question: { key: form.id } };
    default:
      return form satisfies never;
  }
}

async function makeAccount({ query }: Asked<"account">, api: Asking, { signIn, contact }: SiteContext): Promise<View> {
  const own = await ownThings(query, api);
  const done = Object.hasOwn(DONE, query.done) ? (DONE[query.done] ?? "") : "";
  return accountView({ ...own, done, hasOrcid: signIn.orcid !== null, contact, refused: null });
}

async function again(refused: Problem, api: Asking, { signIn, contact }: SiteContext): Promise<View> {
  const own = await ownThings(accountQuery.parse({}), api);
  return accountView({ ...own, done: "", hasOrcid: signIn.orcid !== null, contact, refused });
}

/** Reads the account: the first part of each list, or the requested one. */
async function ownThings(query: AccountQuery, api: Asking): Promise<Pick<OwnPage, "me" | "sessions">> {
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

function change({ body, request }: Asked<"change-account">, api: Asking, context: SiteContext): Promise<Made> {
  const { route, question } = doingOf(body);
  const work = async () => {
    await api.get(ANY, route, question);
    return seeOther(`/me?done=${body.do}`);
  };
  return orShowAgain(work, (problem) => again(problem, api, context), request, context);
}

function measure({ body, request }: Asked<"keep-measurement">, api: Asking, context: SiteContext): Promise<Made> {
  const work = async () => {
    await api.get(ANY, "new-measurement", { body });
    return seeOther("/me?done=measure#measurements");
  };
  return orShowAgain(work, (problem) => again(problem, api, context), request, context);
}

function getKey({ body, request }: Asked<"get-key">, api: Asking, context: SiteContext): Promise<Made> {
  const { description, ...who } = body;
  const sent = description.trim() === "" ? who : body;
  const work = async () => keyView(await api.get(registrationResult, "register", { body: sent }));
  return orShowAgain(work, (problem) => again(problem, api, context), request, context);
}

async function erase(api: Asking): Promise<Made> {
  await api.get(ANY, "erase-account");
  return erasedView();
}
