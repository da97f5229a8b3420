/**
 * Views that check a dataset or a draft: two cards with forms, which show the text again if it is rejected, and the result
 * with the next steps.
 */

import type { DraftResult, EvaluationJob } from "../../schemas/public/api/evaluation.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import type { DraftFields } from "../../schemas/public/site/forms.ts";
import { beforeAndAfter } from "../components/before-after.ts";
import type { View } from "../components/document.ts";
import { countText, plural, timeElement } from "../components/figures.ts";
import {
  buttonForm,
  errorSummary,
  type Field,
  type FieldErrors,
  field,
  filledIn,
  selectField,
  textArea,
} from "../components/forms.ts";
import { addQuery } from "../components/navigation.ts";
import { datasetName } from "../components/record-rows.ts";
import type { NextStep } from "../components/signals.ts";
import { type Html, html } from "../html.ts";
import { t, translateIfKnown } from "../languages/translate.ts";
import {
  basisFacts,
  checkedScore,
  type DraftRepositories,
  draftFile,
  draftScore,
  type Questions,
} from "./draft-score.ts";

interface DraftForm {
  /** The key of the repository that the user selected; empty to find it from the format of the file. */
  readonly source: string;
  readonly typed: Partial<DraftFields> & { readonly pasted?: string };
  readonly sources: readonly { readonly source: string; readonly name: string }[];
  /** Frequent licences, each with its class. */
  readonly licences: NonNullable<Field["suggested"]>;
}

export interface CheckPage extends DraftForm {
  readonly identifier: string;
  /**
   * The number of checks that a visitor can start in a period. Null on a static site, which scores drafts in the browser alone.
   */
  readonly quota: { readonly requests: number; readonly seconds: number } | null;
  /** The problem with a rejected form, and the name of the form; null if no form was rejected. */
  readonly rejected: { readonly of: "dataset" | "file" | "fields"; readonly problem: Problem } | null;
  /** The errors of the rejected form that are shown beside its fields. */
  readonly errors: FieldErrors;
  /** The path of the script that scores drafts in the browser; null if it was not built. */
  readonly script: string | null;
}

export function checkView(page: CheckPage): View {
  const { identifier, rejected, quota, typed, errors, script } = page;
  // An error beside a field needs no summary.
  const summaryOf = errors.size === 0 ? rejected?.of : undefined;
  return {
    title: t(rejected === null ? "Check a dataset" : "Error: Check a dataset"),
    description: t("Score a dataset by its DOI, or a draft of its metadata before it is published."),
    unlisted: rejected !== null || identifier !== "",
    body: html`<h1>Check a dataset</h1>
${quota === null ? html`<p class="lead">Get the score of a draft, with the fields that would add points.</p>` : html`<p class="lead">Get the score of a published dataset or of a draft, with the fields that would add points.</p>`}
${quota === null ? html`<noscript><p class="note">Your browser computes the score, which needs JavaScript.</p></noscript>` : null}${quota === null ? null : datasetPart(page)}<section class="panel"><h2 id="draft">A draft</h2>
${rejected !== null && summaryOf === "fields" ? rejection(rejected.problem) : null}
<div class="beside"><details class="narrow" id="form"${Object.keys(typed).some((name) => name !== "pasted") ? html` open` : null}><summary>Fill in the form</summary>${fieldsForm(page, errors)}</details><div><h3>Or use a file</h3>
${rejected !== null && summaryOf === "file" ? [rejection(rejected.problem), draftHelp(), typed.pasted ? html`<p>Your text is still here.</p>` : null] : null}
${fileForm(page)}</div></div></section>
${script === null ? null : liveResult(script)}
${quota === null ? null : html`<p class="small muted">We do not store drafts or send them to anybody. You can start ${countText(quota.requests, "check")} of published datasets in ${countText(quota.seconds, "second")}. Those in the current release, and the same dataset again within a minute, do not count.</p>`}`,
  };
}

/** Returns the form that checks a published dataset. */
function datasetPart({ identifier, rejected, errors }: CheckPage): Html {
  return html`<section class="panel"><h2 id="dataset">A published dataset</h2>
${rejected !== null && errors.size === 0 && rejected.of === "dataset" ? rejection(rejected.problem) : null}
${rejected === null && identifier !== "" ? html`<p class="note" role="status"><strong>The current release does not have <bdi>${identifier}</bdi>.</strong> “Check” fetches its metadata from the repository and scores it now.</p>` : null}
<form method="post" action="/check"${rejected === null && identifier !== "" ? html` data-start` : null}><div class="row"><div class="grow labelled">${field(
    {
      label: t("DOI, accession number or URL"),
      hint: t("For example 10.5281/zenodo.3678326 or NCT04280705"),
      ...filledIn("identifier", { identifier }, errors),
    },
  )}</div><button>Check</button></div></form>
${errors.has("identifier") && identifier !== "" ? html`<p>Is it a title or a name? <a href="${addQuery("/find", { q: identifier })}">Search for it</a></p>` : null}<p class="small muted">If the dataset is in the current release, you see its score at once. Otherwise we fetch its metadata from the repository now, which takes a few seconds.</p>
<p>Several datasets? <a href="/check-list">Check a list</a>.</p></section>`;
}

/** Returns the element in which a script shows the score of a draft while the user types. */
function liveResult(script: string): Html {
  return html`<section class="panel" id="live" data-live="${script}" data-copying data-trying hidden><h2 tabindex="-1">The score of your draft</h2>
<p class="small muted">Your browser computes this score. Nothing that you type leaves it.</p><div></div></section>
<p class="live" role="status"></p>`;
}

const draftHelp = () =>
  html`<p>A draft is the metadata of one dataset, as JSON or XML, in the format of the repository’s export or API. RO-Crate, Croissant and schema.org JSON-LD are read as drafts for DataCite. If you have no such file, <a href="#form">fill in the form</a> instead. If you have several, check one at a time.</p>`;

/** Explains why a form was rejected. */
function rejection(problem: Problem): Html {
  if (problem.type === "/problems/body-too-large")
    return errorSummary({ ...problem, title: t("The draft is too large") });
  if (problem.type !== "/problems/rate-limited") return errorSummary(problem);
  // The last sentence: "Try again in 30 seconds."
  const wait = problem.detail.slice(problem.detail.lastIndexOf(". ") + 1);
  return html`<div class="warn" role="alert"><p><strong>Too many checks in a short time</strong></p><p>Your text is still here.${wait} Published datasets of the current release do not count: <a href="/check-list">check them as a list</a>.</p></div>`;
}

/** Returns the form for a file. The repository follows from the format of the file, unless the user selects one. */
function fileForm({ source, sources, typed }: DraftForm): Html {
  return html`<form data-draft method="post" action="/check/draft" enctype="multipart/form-data">
<p><label for="f-file">File</label><span class="hint" id="h-file">The metadata of one dataset as JSON or XML, such as .zenodo.json, datacite.json or EML, RO-Crate, Croissant or schema.org JSON-LD, or CITATION.cff. At most 5 MB, no data files.</span><input id="f-file" name="file" type="file" accept=".json,.xml,.cff,application/json,application/xml,text/xml" aria-describedby="h-file"></p>
<p class="brief">${textArea({ name: "pasted", label: t("Or paste the metadata"), value: typed.pasted ?? "" })}</p>
<div class="row"><div class="grow">${selectField({ name: "source", label: t("Repository"), value: source }, [
    ["", t("Find it from the file")],
    ...sources.map((each) => [each.source, each.name] as const),
  ])}</div><button>Check the file</button></div></form>`;
}

function fieldsForm({ typed, licences }: DraftForm, errors: FieldErrors = new Map()): Html {
  const value = (name: keyof DraftFields) => typed[name] ?? "";
  const area = (name: keyof DraftFields, label: string, hint: string) =>
    html`<div>${textArea({ label, hint, ...filledIn(name, typed, errors) })}</div>`;
  return html`<form class="brief" data-draft method="post" action="/check/draft"><input type="hidden" name="form" value="fields">
<p class="muted">The fields are those of Zenodo, and the draft is scored as a dataset there. An empty field counts as missing. Without creators, access and names of files, the signals about them are not known.</p>
<p>${field({ label: t("Title"), ...filledIn("title", typed, errors) })}</p>
<div class="fields">${area("description", t("Description"), t("From 100 characters it adds points, from 300 more"))}${area("methods", t("Methods"), t("How the data were produced"))}
${area("creators", t("Creators"), t("One per line: Family name, given name; ORCID iD. A name with neither a comma nor an iD counts as an organisation."))}${area("contributors", t("Contributors"), t("One per line: name; role, for example DataCurator or ContactPerson"))}</div>
<div class="fields"><div>${field({ name: "keywords", label: t("Keywords"), hint: t("Separated by commas"), value: value("keywords") })}</div>
<div>${field({ name: "licence", label: t("Licence"), hint: t("For example CC-BY-4.0"), value: value("licence"), suggested: licences.map(([id, note]) => [id, t(note)] as const) })}</div>
<div>${selectField({ name: "access", label: t("Access"), hint: t("To the files"), value: value("access") }, [
    ["", t("Not decided")],
    ["open", t("Open")],
    ["embargoed", t("Embargoed")],
    ["restricted", t("Restricted")],
    ["closed", t("Closed")],
  ])}</div></div>
<div class="fields">${area("files", t("Names of the files"), t("One per line, for example README.md or heights.csv"))}${area("grants", t("Funding"), t("One per line: funder; grant number"))}
${area("references", t("References"), t("Works that the data refer to, one per line, with a DOI if possible"))}${area("related", t("Related works"), t("DOIs or URLs of papers, software or other data, one per line"))}</div>
<p><button>Check this draft</button></p></form>`;
}

/** The interval at which the view reloads while a check is running. */
const REFRESH_SECONDS = 2;

interface JobPage {
  /** Names of all sources. */
  readonly names: ReadonlyMap<string, string>;
  readonly steps: readonly NextStep[];
  readonly questions: Questions;
  readonly now: Date;
  /** The number of checks that the user can still start in this minute; null if there are many. */
  readonly left: number | null;
  /** The dataset in the current release, with the version of the release; null if the release does not have the dataset. */
  readonly published: { readonly record: RecordDetail; readonly release: string } | null;
}

export function jobView(job: EvaluationJob, page: JobPage): View {
  const { names, steps, questions, now, left, published } = page;
  const isPublished = published !== null;
  const { id, identifier, status, result, error, createdAt, finishedAt, attempts } = job;
  const common = { apiPath: `/evaluation-jobs/${id}`, unlisted: true, description: t("A check of a dataset.") };
  if (status === "failed" && error !== null) {
    const seconds = secondsBetween(createdAt, finishedAt ?? createdAt);
    return {
      ...common,
      title: t("The check failed"),
      body: html`<p class="crumbs"><a href="/check">Check a dataset</a></p><h1>The check of ${identifier} failed</h1>${errorSummary(error)}<p>We gave up after ${countText(attempts, "attempt")} in ${countText(seconds, "second")}.</p>${failedAttempts(job, t("Earlier attempts"))}${isPublished ? null : notInRelease(identifier)}<p><a class="button" href="${addQuery("/check", { identifier })}">Try again</a></p>`,
    };
  }
  if (result === null) {
    const seconds = secondsBetween(createdAt, now.toISOString());
    return {
      ...common,
      title: t("Checking…"),
      refreshSeconds: REFRESH_SECONDS,
      body: html`<p class="crumbs"><a href="/check">Check a dataset</a></p><h1>Checking ${identifier}</h1>${isPublished ? null : notInRelease(identifier)}<p role="status" class="lead" data-job="/evaluation-jobs/${id}" data-seen="${getState(job)}">${progressText(job)}</p><p><progress aria-label="Check is running"></progress></p><p>Running for <span data-seconds="${seconds}">${countText(seconds, "second")}</span>. This page refreshes by itself.</p>${failedAttempts(job)}<p><a href="/check/${id}">Refresh now</a> · <a href="/check">Stop waiting</a>: the check goes on, and its result stays at this address for 30 days.</p>${left === null ? null : html`<p class="muted">${left === 0 ? t("You can start no more checks in this minute.") : plural(left, "You can start {0} more check in this minute.", "You can start {0} more checks in this minute.")} For several datasets, <a href="/check-list">check a list</a>.</p>`}`,
    };
  }
  const { record, basis, evaluatedAt, release } = result.evaluation;
  const source = names.get(record.source.name) ?? record.source.name;
  return {
    ...common,
    title: datasetName(record),
    isLive: release === null,
    body: html`<p class="crumbs"><a href="/check">Check a dataset</a></p><h1 dir="auto">${datasetName(record)}</h1>
<p class="muted">${release === null ? html`Checked ${timeElement(evaluatedAt)}` : html`From release ${release.scoreReleaseVersion}: <a href="/datasets/${record.id}">page of this dataset</a>`} · ${identifier}</p>
${release === null && published !== null ? beforeAndAfter(published.record, record, published.release) : null}
${checkedScore(result.evaluation, source, steps, questions)}
${basis === null ? null : basisFacts(basis, source)}
<h2>Save this check</h2><p>This page is available for 30 days. To keep the result longer, save it in your account.</p><div class="actions">${checkAgain(identifier)}${buttonForm("/me/measurements", { identifier }, t("Save to your account"))}${isPublished ? null : buttonForm("/me", { do: "submit", identifier }, t("Ask to include it in the next release"))}</div>`,
  };
}

/** Returns the button that checks the dataset at its source, even if the release has a score. */
function checkAgain(identifier: string): Html {
  return buttonForm("/check", { identifier, fresh: "true" }, t("Check again"));
}

/**
 * Returns a note that the identifier is not in the release, with a link to change it. The fragment of the link keeps
 * the script from starting the check again.
 */
function notInRelease(key: string): Html {
  const isDoi = key.startsWith("doi:");
  const identifier = isDoi ? key.slice("doi:".length) : key;
  const question = t(isDoi ? "Is the DOI right?" : "Is the identifier right?");
  return html`<p class="note"><bdi>${identifier}</bdi> is not in the current release. ${question} <a href="${addQuery("/check", { identifier })}#f-identifier">Change it</a></p>`;
}

function secondsBetween(from: string, to: string): number {
  return Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
}

/**
 * Returns a text for a script, which reloads the page of a running job when the text has changed, because the page then
 * has something new to show.
 */
function getState({ status, attempts }: EvaluationJob): string {
  return `${status} ${attempts}`;
}

function progressText({ status, attempts, retryAt }: EvaluationJob): Html | string {
  if (retryAt !== null) return html`Attempt ${attempts} failed. The next attempt starts at ${timeElement(retryAt)}.`;
  if (status === "queued") return t("Step 1 of 2: the check is waiting in the queue.");
  const again = attempts > 1 ? ` ${t`This is attempt ${attempts}.`}` : "";
  return `${t("Step 2 of 2: we ask the repository for the metadata, read and score them.")}${again}`;
}

/** Returns the failed attempts with their causes; null if there are none. */
function failedAttempts({ failures }: EvaluationJob, heading = t("Failed attempts")): Html | null {
  if (failures.length === 0) return null;
  return html`<div class="note"><p><strong>${heading}</strong></p><ul>${failures.map(({ at, detail }) => html`<li>${timeElement(at)}: ${translateIfKnown(detail)}</li>`)}</ul></div>`;
}

/**
 * Returns the view of a scored draft. `form` has the text that the user typed. `deposit` is the deposit of a filled-in form; null
 * for a file.
 */
export function draftView(
  { draft }: DraftResult,
  repositories: DraftRepositories,
  questions: Questions,
  form: DraftForm,
  deposit: string | null,
): View {
  return {
    title: t("Your draft"),
    description: t("The score of a draft, if you published it now."),
    unlisted: true,
    isLive: true,
    body: html`<p class="crumbs"><a href="/check">Check a dataset</a> › Draft score</p><h1 dir="auto">${draft.record.title ?? t("Draft without a title")}</h1>
${draftScore({ draft }, repositories, questions, html`<div class="actions"><a class="button" href="#draft">Change the draft</a></div>`)}
<h2 id="draft">Change the draft and check again</h2><p>We did not store your draft: it is only on this page.${(form.typed.pasted ?? "") === "" ? null : ` ${t("If you checked a file, you can choose it again.")}`}</p>${deposit === null ? null : draftFile(deposit)}${(form.typed.pasted ?? "") === "" ? fieldsForm(form) : fileForm(form)}`,
  };
}
