/**
 * Views that check a dataset or a draft: two forms, which show the text again if it is rejected, and the result with the
 * next steps.
 */

import type { DraftResult, EvaluationBasis, EvaluationJob } from "../../schemas/public/api/evaluation.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import type { DraftFields } from "../../schemas/public/site/forms.ts";
import { bucketBars, meter } from "../components/bars.ts";
import type { View } from "../components/document.ts";
import { timeElement, UNKNOWN } from "../components/figures.ts";
import { buttonForm, errorSummary, field, selectField, textArea } from "../components/forms.ts";
import { bucketCaps, type NextStep, nextSteps, signalDetails, signalGrid } from "../components/signals.ts";
import { type Html, html } from "../html.ts";

export interface CheckPage {
  readonly identifier: string;
  readonly source: string;
  readonly typed: Partial<DraftFields> & { readonly pasted?: string };
  readonly sources: readonly { readonly source: string; readonly name: string }[];
  /** The problem with a form, and the form that was rejected. */
  readonly refused: { readonly of: "dataset" | "draft"; readonly problem: Problem } | null;
}

export function checkView(page: CheckPage): View {
  const { identifier, refused } = page;
  return {
    title: refused === null ? "Check a dataset" : "Error: Check a dataset",
    description: "Score a dataset by its DOI, or a draft of its metadata before it is published.",
    unlisted: refused !== null || identifier !== "",
    body: html`<h1>Check a dataset</h1>
<h2 id="dataset">A published dataset</h2>
${refused?.of === "dataset" ? errorSummary(refused.problem) : null}
${refused === null && identifier !== "" ? html`<p class="note" role="status"><strong>The current release does not have <bdi>${identifier}</bdi>.</strong> Press “Check” to fetch its metadata from the repository and score it now.</p>` : null}
<form method="post" action="/check"><div class="row"><div class="grow">${field({
      name: "identifier",
      label: "DOI, accession number or URL",
      hint: "For example 10.5281/zenodo.3678326, NCT04280705, or the URL of the dataset’s page",
      value: identifier,
      required: true,
    })}</div><button>Check</button></div></form>
<p class="small muted">If the dataset is in the current release, you see its score at once. Otherwise we fetch its metadata from the repository and check it now. This takes a few seconds.</p>
<p>For several datasets at once, <a href="/check-list">check a list</a>.</p>
<h2 id="draft">A draft, before you publish it</h2>
<p>We do not store your draft or send it to anybody.</p>
${refused?.of === "draft" ? [errorSummary(refused.problem), html`<p>A draft is the metadata of one dataset, as JSON or XML, in the format of the repository’s export or API. RO-Crate, Croissant and schema.org JSON-LD are read as drafts for DataCite. If you have no such file, <a href="#form">fill in the form</a> instead. Your text is still here.</p>`] : null}
${draftForm(page)}`,
  };
}

export function draftForm({ source, sources, typed }: Pick<CheckPage, "source" | "sources" | "typed">): Html {
  return html`<form method="post" action="/check/draft" enctype="multipart/form-data">
${selectField(
  { name: "source", label: "Where you will publish it", value: source === "" ? "zenodo" : source },
  sources.map((each) => [each.source, each.name]),
)}
<h3>With a metadata file</h3>
<p><label for="f-file">File</label><span class="hint" id="h-file">JSON or XML in the format of the repository’s export or API. For DataCite also RO-Crate, Croissant or schema.org JSON-LD. At most 5 MB, no data files.</span><input id="f-file" name="file" type="file" accept=".json,.xml,application/json,application/xml,text/xml" aria-describedby="h-file"></p>
<p>${textArea({ name: "pasted", label: "Or paste the metadata here", value: typed.pasted ?? "" })}</p>
<p><button>Check the draft</button></p>
<details id="form"${hasFields(typed) ? html` open` : null}><summary><strong>Without a file: fill in a form</strong></summary>
<p class="muted">The fields are those of Zenodo. A field that you leave empty counts as empty in the score.</p>
<p>${field({ name: "title", label: "Title", value: typed.title ?? "" })}</p>
<p>${textArea({ name: "description", label: "Description", value: typed.description ?? "" })}</p>
<p>${textArea({ name: "methods", label: "Methods", hint: "How the data were produced", value: typed.methods ?? "" })}</p>
<p>${field({ name: "keywords", label: "Keywords", hint: "Separated by commas", value: typed.keywords ?? "" })}</p>
<p>${textArea({ name: "creators", label: "Creators", hint: "One per line: Family name, given name; ORCID iD", value: typed.creators ?? "" })}</p>
<p>${textArea({ name: "contributors", label: "Contributors", hint: "One per line: name; role, for example DataCurator", value: typed.contributors ?? "" })}</p>
<p>${field({ name: "licence", label: "Licence", hint: "For example cc-by-4.0 or cc0-1.0", value: typed.licence ?? "" })}</p>
<p>${selectField({ name: "access", label: "Access", value: typed.access ?? "" }, [
    ["", "Not decided"],
    ["open", "Open"],
    ["embargoed", "Embargoed"],
    ["restricted", "Restricted"],
    ["closed", "Closed"],
  ])}</p>
<p>${textArea({ name: "references", label: "References", hint: "Works that the data refer to, one per line, with a DOI if possible", value: typed.references ?? "" })}</p>
<p>${textArea({ name: "related", label: "Related works", hint: "DOIs or URLs of papers, software or other data, one per line", value: typed.related ?? "" })}</p>
<p>${textArea({ name: "grants", label: "Funding", hint: "Grant numbers, one per line: funder; number", value: typed.grants ?? "" })}</p>
<p>${textArea({ name: "files", label: "Names of the files", hint: "One per line, for example README.md or heights.csv", value: typed.files ?? "" })}</p>
<p><button>Check this draft</button></p></details></form>`;
}

function hasFields({ pasted: _pasted, access: _access, ...fields }: CheckPage["typed"]): boolean {
  return Object.values(fields).some((value) => value !== "");
}

/** A check uses the current version. */
const CHECKED_BY = PUBLIC_VERSIONS[0];

/** The interval at which the view reloads while a check is running. */
const REFRESH_SECONDS = 2;

export type Questions = ReadonlyMap<string, string>;

export function jobView(job: EvaluationJob, steps: readonly NextStep[], questions: Questions): View {
  const { id, identifier, status, result, error } = job;
  const common = { apiPath: `/evaluation-jobs/${id}`, unlisted: true, description: "A check of a dataset." };
  if (status === "failed" && error !== null) {
    return {
      ...common,
      title: "The check failed",
      body: html`<p class="crumbs"><a href="/check">Check a dataset</a></p><h1>The check of ${identifier} failed</h1>${errorSummary(error)}<p><a class="button" href="/check?identifier=${encodeURIComponent(identifier)}">Try again</a></p>`,
    };
  }
  if (result === null) {
    const words =
      status === "queued" ? "The check is waiting in the queue." : "We are reading the metadata from the repository.";
    return {
      ...common,
      title: "Checking…",
      refreshSeconds: REFRESH_SECONDS,
      body: html`<p class="crumbs"><a href="/check">Check a dataset</a></p><h1>Checking ${identifier}</h1><p role="status" class="lead" data-job="/evaluation-jobs/${id}">${words} This page refreshes by itself.</p><p><progress aria-label="Check is running"></progress></p><p><a href="/check/${id}">Refresh now</a></p>`,
    };
  }
  const { record, basis, evaluatedAt, release } = result.evaluation;
  return {
    ...common,
    title: record.title ?? identifier,
    body: html`<p class="crumbs"><a href="/check">Check a dataset</a></p><h1 dir="auto">${record.title ?? identifier}</h1>
<p class="muted">${release === null ? html`Checked ${timeElement(evaluatedAt)}` : html`From release ${release.scoreReleaseVersion}: <a href="/datasets/${record.id}">page of this dataset</a>`} · ${identifier}</p>
${score(record, steps, questions)}
${basis === null ? null : basisFacts(basis)}
<h2>Save this check</h2><p>This page is available for 30 days. To keep the result longer, save it in your account.</p>${buttonForm("/me/measurements", { identifier }, "Save to your account")} ${buttonForm("/me", { do: "submit", identifier }, "Ask to include it in the next release")}`,
  };
}

/** `source` is the name of the repository. `form` is the form with the typed text. */
export function draftView({ draft }: DraftResult, source: string, questions: Questions, form: Html): View {
  const { record, basis } = draft;
  return {
    title: "Your draft",
    description: "The score of a draft, if you published it now.",
    unlisted: true,
    body: html`<p class="crumbs"><a href="/check">Check a dataset</a></p><h1>The score of your draft, if you published it now</h1>
<p class="muted" dir="auto">${record.title ?? "Without a title"} · as ${source} would publish it</p>
${score(record, draft.improvements, questions)}
${basisFacts(basis)}
<h2 id="draft">Change the draft and check again</h2><p>We did not store your draft: it is only on this page. If you checked a file, choose it again.</p>${form}`,
  };
}

function score(record: RecordDetail, steps: readonly NextStep[], questions: Questions): Html {
  const { score: scored } = record;
  return html`${
    scored === null
      ? html`<div class="note"><p><strong>No score.</strong> We could judge too few signals, or could not read the metadata. This says nothing about the dataset.</p></div>`
      : html`<div class="score"><div><p><span class="big">${scored.total}</span> <span class="of">of ${record.cap} points that are possible in this repository</span></p>${meter(scored.total, 100, record.cap)}${bucketBars(scored.bucketScores, bucketCaps(record))}</div><div>${signalGrid(record)}</div></div>`
  }
<h2 id="next">Next steps</h2>${nextSteps(steps, record)}
<h2 id="signals">The 25 signals</h2>${scored === null ? signalGrid(record) : null}${signalDetails(record, questions, CHECKED_BY)}`;
}

/** Returns all inputs of a score. Each field has a row, even if it is empty. */
function basisFacts({ asOf, contract, pledge, policy, reader, unreadable }: EvaluationBasis): Html {
  const rows: [string, Html | string][] = [
    ["As of", timeElement(asOf)],
    ["Contract", html`<a href="/rubrics/${contract.id}">${contract.id}</a> <code>${contract.digest}</code>`],
    ["Pledge", html`${pledge.source} <code>${pledge.digest}</code>`],
    ["Not possible in this repository", columns(pledge.neverCarries)],
    ["Reader", reader === null ? UNKNOWN : html`version ${reader.version} <code>${reader.digest}</code>`],
    ["Minimum for a score", `${policy.leastEvaluable} signals that could be judged`],
    ["Could not be read", columns(unreadable)],
  ];
  return html`<details><summary>How to reproduce this score</summary><p class="small">Apply the contract to the evidence of the signals above, with these inputs. You get the same score.</p>
<dl class="facts">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></details>`;
}

function columns(names: readonly string[]): string {
  return names.join(", ") || "nothing";
}
