/** Handlers of the pages on which people do something. */

import type { SITE_FORM_ROUTES } from "../../api-static/routes/site-form-routes.ts";
import { improvementsOf } from "../../pipeline/evaluate/evaluation.ts";
import { readPledges } from "../../pipeline/sources/pledges.ts";
import { linkRequested, returnPath, signedIn, signedOut } from "../../schemas/public/account/sign-in.ts";
import { draftResult, evaluationJob } from "../../schemas/public/api/evaluation.ts";
import { recordList } from "../../schemas/public/api/record.ts";
import { rubricDescriptor } from "../../schemas/public/api/rubric.ts";
import type { DraftFields } from "../../schemas/public/site/forms.ts";
import type { View } from "../../web/components/document.ts";
import { type CheckPage, checkView, draftForm, draftView, jobView } from "../../web/views/check.ts";
import { eraseView } from "../../web/views/me.ts";
import { linkSentView, signInView } from "../../web/views/sign-in.ts";
import type { Asked, Handlers } from "../http/add-routes.ts";
import { malformedBody } from "../http/read-body.ts";
import { change, erase, getKey, makeAccount, measure } from "./account.ts";
import type { Asking, SiteContext } from "./page-handler.ts";
import { type Made, pageHandler, seeOther } from "./page-handler.ts";
import { orShowAgain } from "./problem-page.ts";

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

/** The place for who named none that one can be sent to. */
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

/** The token of a link that was pasted whole, or alone. */
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

/** The version that is checked by: the current one. */
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

/** A dataset that is published is shown at once; anything else becomes a job, whose page asks again by itself. */
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

/** A file that was chosen, else what was pasted, else what was filled in. */
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

/** The source whose form it is. */
const FORM_SOURCE = "zenodo";

const lines = (text: string) =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** The parts of a line: what stands before its last semicolon, and after it. */
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
