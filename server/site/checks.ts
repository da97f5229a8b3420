/** Handlers of the views that check datasets, drafts and lists. */

import { CACHE, CSV_TYPE } from "../../api-static/routes/route.ts";
import { scriptKey } from "../../api-static/routes/site-form-routes.ts";
import { buildDeposit, FORM_SOURCE, orcidFaults } from "../../pipeline/evaluate/draft-fields.ts";
import { listImprovements } from "../../pipeline/evaluate/evaluation.ts";
import { parseIdentifier } from "../../pipeline/parse-identifier.ts";
import { STEERING } from "../../pipeline/reading/text.ts";
import { publicContract } from "../../pipeline/rubrics/contracts.ts";
import { sourceNames } from "../../pipeline/sources/pledges.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import { draftResult, evaluationJob } from "../../schemas/public/api/evaluation.ts";
import { improvements } from "../../schemas/public/api/improvements.ts";
import { type LookedUp, lookupResult } from "../../schemas/public/api/lookup.ts";
import { MAX_DRAFT_BYTES } from "../../schemas/public/text.ts";
import type { View } from "../../web/components/document.ts";
import { addQuery } from "../../web/components/navigation.ts";
import { english, language, t } from "../../web/languages/translate.ts";
import { type CheckPage, checkView, draftView, jobView } from "../../web/views/check.ts";
import { checkListView, resultText } from "../../web/views/check-list.ts";
import { readTarget } from "../evaluations/request.ts";
import { identifiersIn, malformedBody } from "../http/read-body.ts";
import { contentResponse, ProblemError, seeOther } from "../http/response.ts";
import { type TypedRequest, unknownKey } from "../http/routes.ts";
import { lookedUpCsv } from "../read/lookup.ts";
import { asDownload, listQuestions } from "./datasets.ts";
import { findPublished, withoutPunctuation } from "./find.ts";
import {
  type ApiClient,
  errorsIn,
  orShowForm,
  type SiteContext,
  unless,
  type ViewOrResponse,
  viewHandlers,
} from "./page-handler.ts";

export function checkHandlers(context: SiteContext) {
  return {
    "check-script": async ({ key }: TypedRequest<"check-script">) => {
      const script = context.checkScript.files.get(key);
      if (script === undefined) throw unknownKey(scriptKey);
      return script;
    },
    ...viewHandlers(context, {
      check: ({ query }) => checkPage(query, context),
      "new-check": startCheck,
      "check-draft": checkDraft,
      "check-job": makeJob,
      "check-list": async () => checkListView({ typed: "", rejected: null, result: null }),
      "look-up-list": lookUpList,
    }),
  };
}

const VERSION = "2.0";

function sources(): CheckPage["sources"] {
  return [...sourceNames()].map(([source, name]) => ({ source, name }));
}

/** Licences of most datasets, as SPDX ids. The form suggests them. */
const FREQUENT_LICENCES = [
  ...["CC-BY-4.0", "CC0-1.0", "CC-BY-SA-4.0", "ODC-By-1.0", "ODbL-1.0", "PDDL-1.0"],
  ...["CC-BY-NC-4.0", "CC-BY-NC-SA-4.0", "CC-BY-ND-4.0", "CC-BY-NC-ND-4.0"],
];

/** Returns frequent licences, each with its class in the contracts' word list, for example "open and permissive". */
async function suggestedLicences(): Promise<CheckPage["licences"]> {
  const { licences } = loadVocabularies();
  return FREQUENT_LICENCES.map((id) => [
    id,
    licences.isPermissive(id)
      ? english("open and permissive")
      : licences.isOpen(id)
        ? english("open, share alike")
        : english("not open"),
  ]);
}

/** Fields that show their own errors. */
const EXPLAINED_FIELDS = ["identifier", "title", "creators"];

async function checkPage(
  of: Partial<CheckPage>,
  { quotas, isStatic, checkScript }: Pick<SiteContext, "quotas" | "isStatic" | "checkScript">,
): Promise<View> {
  // The worker finds the texts of the page's language in the fragment of its URL.
  const texts = checkScript.texts.get(language());
  const script =
    checkScript.entry === null || texts === undefined ? checkScript.entry : `${checkScript.entry}#${texts}`;
  const found = {
    sources: sources(),
    licences: await suggestedLicences(),
    quota: isStatic ? null : quotas.evaluation,
    script,
  };
  const errors = new Map((of.rejected && errorsIn(EXPLAINED_FIELDS, of.rejected.problem)) ?? []);
  const fault = errors.has("identifier") ? findFault(of.identifier ?? "") : null;
  if (fault !== null)
    errors.set("identifier", `${fault}. ${t("Use a DOI, an accession number, or the URL of the dataset")}`);
  return checkView({ identifier: "", source: "", typed: {}, rejected: null, errors, ...found, ...of });
}

/** Returns what is wrong with an identifier, without the advice that the API gives to programs; null if it gives none. */
function findFault(identifier: string): string | null {
  const parsed = parseIdentifier(identifier);
  return parsed.kind === "rejected" && parsed.fault !== parsed.reason ? parsed.fault : null;
}

/**
 * Redirects to the page of a published dataset, unless the user wants a fresh check. Otherwise starts a job, and
 * redirects to its view, which reloads itself. If the user typed several identifiers, they are looked up as a list.
 */
async function startCheck(
  { body, request }: TypedRequest<"new-check">,
  api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  const { identifier: typed } = body;
  const fresh = body.fresh === "true";
  const several = identifiersOnly(typed);
  const work = async () => {
    if (typed.trim() === "")
      throw malformedBody([{ path: "identifier", message: english("enter a DOI, an accession number or a URL") }]);
    if (several.length > 1) return lookedUp(several, api);
    const { id, identifier } = await findPublished(typed.trim(), api);
    if (id !== null && !fresh) return seeOther(`/datasets/${id}`);
    const asked = { identifier, rubricVersion: VERSION, fresh } as const;
    const same = await context.evaluations.findSameJob(readTarget(asked));
    // A job of the same request costs no further evaluation.
    if (same !== null) return seeOther(`/check/${same.id}`);
    const left = await request.charge("evaluation");
    const job = await api.get(evaluationJob, "new-evaluation-job", { body: asked });
    return seeOther(addQuery(`/check/${job.id}`, left < FEW ? { left: String(left) } : {}));
  };
  return orShowForm(
    work,
    (problem) => checkPage({ identifier: typed, rejected: { of: "dataset", problem } }, context),
    request,
    context,
  );
}

/** The page of a check says how many more checks are possible in the current minute if they are fewer than this. */
const FEW = 4;

/** Longest text, in characters, that can be a list of identifiers. A longer text is read as metadata. */
const MAX_NAMES_LENGTH = 64 * 1024;

/** Returns the identifiers in a text that consists of identifiers; otherwise an empty list. */
function identifiersOnly(text: string): string[] {
  if (text.length > MAX_NAMES_LENGTH) return [];
  const words = text.split(/[\s,;]+/).map((word) => word.replace(STEERING, ""));
  const filled = words.filter((word) => word !== "");
  return filled.every((word) => parseIdentifier(word).kind !== "rejected") ? filled : [];
}

async function makeJob(
  { key, query }: TypedRequest<"check-job">,
  api: ApiClient,
  { now, active }: Pick<SiteContext, "now" | "active">,
): Promise<View> {
  const job = await api.get(evaluationJob, "evaluation-job", { key });
  const checked = job.result?.evaluation.record;
  const steps = checked === undefined || checked.scoreStatus === "failed" ? [] : listImprovements(checked);
  const left = /^\d$/.test(query.left) ? Number(query.left) : null;
  const { id } = await findPublished(job.identifier, api);
  const record = id === null ? null : await unless(["rubric-not-published"], api.record(id, VERSION));
  const release = active.release?.receipt.scoreReleaseVersion ?? null;
  return jobView(job, {
    names: sourceNames(),
    steps,
    questions: listQuestions(publicContract(VERSION)),
    now: now(),
    left,
    published: record === null || release === null ? null : { record, release },
  });
}

/** Scores the selected file, else the pasted text, else the fields of the form. Looks up a text that is only identifiers. */
async function checkDraft(
  { body, request }: TypedRequest<"check-draft">,
  api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  const { file, pasted, source, form: sentForm, ...fields } = body;
  const metadata = file.trim() === "" ? pasted : file;
  const bytes = Buffer.byteLength(metadata);
  // A page with a longer text would be slow.
  const typed = { ...fields, pasted: bytes > MAX_DRAFT_BYTES ? "" : metadata };
  const isEmpty = Object.values({ ...fields, access: "" }).every((value) => value.trim() === "");
  const isForm = metadata.trim() === "" && (sentForm === "fields" || !isEmpty);
  const [identifier, ...others] = identifiersOnly(metadata);
  if (identifier !== undefined && others.length === 0) return seeOther(addQuery("/check", { identifier }));
  const work = async () => {
    if (identifier !== undefined) return lookedUp([identifier, ...others], api);
    // A draft that is too large is rejected before the check is counted, so a page about the limit of checks always has the text.
    if (bytes > MAX_DRAFT_BYTES) throw draftTooLarge(bytes);
    if (metadata.trim() === "" && isEmpty) {
      throw malformedBody([
        isForm
          ? { path: "title", message: english("fill in the title or another field") }
          : { path: "", message: english("is empty; choose a file, paste metadata, or fill in the form") },
      ]);
    }
    const faults = isForm ? orcidFaults(fields) : [];
    if (faults.length > 0) throw malformedBody([{ path: "creators", message: faults.join("; ") }]);
    await request.charge("evaluation");
    const deposit = isForm ? buildDeposit(fields) : null;
    const sent = Buffer.from(deposit ?? metadata);
    const { draft, chosen } = await scoredDraft(isForm ? FORM_SOURCE : source, sent, api);
    const known = sources();
    const findName = (id: string) => known.find((each) => each.source === id)?.name ?? id;
    const form = { source: "", sources: known, licences: await suggestedLicences(), typed };
    const names = { source: findName(draft.source), chosen: chosen === null ? null : findName(chosen) };
    return draftView({ draft }, names, listQuestions(publicContract(VERSION)), form, deposit);
  };
  return orShowForm(
    work,
    (problem) => checkPage({ source, typed, rejected: { of: isForm ? "fields" : "file", problem } }, context),
    request,
    context,
  );
}

const MEGABYTE = 1024 * 1024;

function draftTooLarge(bytes: number): ProblemError {
  const size = (Math.ceil((10 * bytes) / MEGABYTE) / 10).toFixed(1);
  const most = MAX_DRAFT_BYTES / MEGABYTE;
  return new ProblemError(
    "body-too-large",
    `Your draft has ${size} MB, and at most ${most} MB are possible. It is too long to be shown here again. Shorten it, and select the file or paste the text again.`,
  );
}

/**
 * Scores a draft for the source that the user chose. If the draft has the format of another source, scores it for that
 * source, and also returns the choice.
 */
async function scoredDraft(source: string, body: Buffer, api: ApiClient) {
  const score = (of: string) => api.get(draftResult, "draft", { query: { source: of, rubricVersion: VERSION }, body });
  try {
    return { ...(await score(source)), chosen: null };
  } catch (error) {
    if (source === "" || !(error instanceof ProblemError) || error.type !== "invalid-body") throw error;
    const found = await score("").catch(() => null);
    if (found === null || found.draft.source === source) throw error;
    return { ...found, chosen: source };
  }
}

/** Looks up a list of identifiers. Responds with a view of the datasets, or with CSV. */
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
    if (body.form !== "csv") return lookedUp(identifiers, api);
    const data = await lookUp(identifiers, api);
    return context.active.use(async (open) => {
      const csv = await lookedUpCsv(data, VERSION, open.for(request), resultText);
      return asDownload(contentResponse(csv, CSV_TYPE, CACHE.never), open.receipt, "list");
    });
  };
  return orShowForm(work, (rejected) => checkListView({ typed: text, rejected, result: null }), request, context);
}

/** Looks up the identifiers. Those that are not found are looked up again without the punctuation at their end. */
async function lookUp(identifiers: readonly string[], api: ApiClient): Promise<readonly LookedUp[]> {
  const { data } = await api.get(lookupResult, "lookup", { body: { identifiers } });
  const bare = data.map(({ identifier, record }) => (record === null && withoutPunctuation(identifier)) || identifier);
  if (bare.every((each, i) => each === identifiers[i])) return data;
  const again = await api.get(lookupResult, "lookup", { body: { identifiers: bare } });
  return again.data.map((entry, i) => ({ ...entry, identifier: identifiers[i] ?? entry.identifier }));
}

async function lookedUp(identifiers: readonly string[], api: ApiClient): Promise<View> {
  const data = await lookUp(identifiers, api);
  const ids = [...new Set(data.flatMap(({ record }) => record?.id ?? []))];
  const result =
    ids.length === 0 ? null : await api.get(improvements, "improvements", { query: { ids: ids.join(",") } });
  const names = sourceNames();
  return checkListView({
    typed: identifiers.join("\n"),
    rejected: null,
    result: {
      data: data.map((entry) =>
        entry.reason === "malformed" ? { ...entry, detail: findFault(entry.identifier) ?? entry.detail } : entry,
      ),
      improvements: result,
      names,
    },
  });
}
