/** Checking a dataset or a draft: two forms, which never lose the typed text, and the result with the next steps. */

import type { DraftResult, EvaluationBasis, EvaluationJob } from "../../schemas/public/api/evaluation.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import type { DraftFields } from "../../schemas/public/site/forms.ts";
import { bucketBars, meter } from "../components/bars.ts";
import type { View } from "../components/document.ts";
import { UNKNOWN, when } from "../components/figures.ts";
import { area, choice, field, press, refusal } from "../components/forms.ts";
import { type NextStep, nextSteps, signalDetails, signalGrid } from "../components/signals.ts";
import { type Html, html } from "../html.ts";

export interface CheckPage {
  readonly identifier: string;
  readonly source: string;
  /** The fields of a draft as they were typed. */
  readonly typed: Partial<DraftFields> & { readonly pasted?: string };
  readonly sources: readonly { readonly source: string; readonly name: string }[];
  /** The problem with the form that was sent, and which of the two it is. */
  readonly refused: { readonly of: "dataset" | "draft"; readonly problem: Problem } | null;
}

export function checkView(page: CheckPage): View {
  const { identifier, refused } = page;
  return {
    title: refused === null ? "Check a dataset" : "Error: Check a dataset",
    description: "Score a dataset by its DOI, or a draft of its metadata before it is published.",
    unlisted: refused !== null || identifier !== "",
    body: html`<h1>Check a dataset</h1>
<h2 id="dataset">One that is published</h2>
${refused?.of === "dataset" ? refusal(refused.problem) : null}
<form method="post" action="/check"><div class="row"><div class="grow">${field({
      name: "identifier",
      label: "DOI, accession number or address",
      hint: "Such as 10.5281/zenodo.3678326, NCT04280705, or the address of the dataset’s page",
      value: identifier,
      required: true,
    })}</div><button>Check</button></div></form>
<p class="small muted">What is in the current release is shown at once. Anything else is fetched from its repository and measured now, which takes some seconds.</p>
<h2 id="draft">A draft, before you publish it</h2>
<p>Nothing of it is kept, and nobody else is asked.</p>
${refused?.of === "draft" ? [refusal(refused.problem), html`<p>A draft is the metadata of one dataset, as JSON or XML: what the repository’s own form exports, or its interface for programs takes. RO-Crate, Croissant and schema.org JSON-LD are read as drafts for DataCite. If you have no such file, <a href="#form">fill in the form</a> instead. What you sent is still here.</p>`] : null}
${draftForm(page)}`,
  };
}

/** The form of a draft, with what was typed before. */
export function draftForm({ source, sources, typed }: Pick<CheckPage, "source" | "sources" | "typed">): Html {
  return html`<form method="post" action="/check/draft" enctype="multipart/form-data">
${choice(
  { name: "source", label: "Where you will publish it", value: source === "" ? "zenodo" : source },
  sources.map((each) => [each.source, each.name]),
)}
<h3>With a file of metadata</h3>
<p><label for="f-file">File</label><span class="hint" id="h-file">JSON or XML, as the repository’s own form or programs give it, or RO-Crate, Croissant or schema.org JSON-LD for DataCite; at most 5 MB. No data files.</span><input id="f-file" name="file" type="file" accept=".json,.xml,application/json,application/xml,text/xml" aria-describedby="h-file"></p>
<p>${area({ name: "pasted", label: "Or paste it here", value: typed.pasted ?? "" })}</p>
<p><button>Check the draft</button></p>
<details id="form"${hasFields(typed) ? html` open` : null}><summary><strong>Without a file: fill in a form</strong></summary>
<p class="muted">As Zenodo asks. What you leave empty counts as left empty.</p>
<p>${field({ name: "title", label: "Title", value: typed.title ?? "" })}</p>
<p>${area({ name: "description", label: "Description", value: typed.description ?? "" })}</p>
<p>${area({ name: "methods", label: "Methods", hint: "How the data were made", value: typed.methods ?? "" })}</p>
<p>${field({ name: "keywords", label: "Keywords", hint: "Separated by commas", value: typed.keywords ?? "" })}</p>
<p>${area({ name: "creators", label: "Creators", hint: "One a line: Family name, given name; ORCID iD", value: typed.creators ?? "" })}</p>
<p>${area({ name: "contributors", label: "Contributors", hint: "One a line: name; role, such as DataCurator", value: typed.contributors ?? "" })}</p>
<p>${field({ name: "licence", label: "Licence", hint: "Such as cc-by-4.0 or cc0-1.0", value: typed.licence ?? "" })}</p>
<p>${choice({ name: "access", label: "Access", value: typed.access ?? "" }, [
    ["", "Not decided"],
    ["open", "Open"],
    ["embargoed", "Embargoed"],
    ["restricted", "Restricted"],
    ["closed", "Closed"],
  ])}</p>
<p>${area({ name: "references", label: "References", hint: "Works the data refer to, one a line, best with a DOI", value: typed.references ?? "" })}</p>
<p>${area({ name: "related", label: "Related works", hint: "DOIs or addresses of papers, software or other data, one a line", value: typed.related ?? "" })}</p>
<p>${area({ name: "grants", label: "Funding", hint: "Numbers of grants, one a line: funder; number", value: typed.grants ?? "" })}</p>
<p>${area({ name: "files", label: "Names of the files", hint: "One a line, such as README.md, heights.csv", value: typed.files ?? "" })}</p>
<p><button>Check what I filled in</button></p></details></form>`;
}

function hasFields({ pasted: _pasted, access: _access, ...fields }: CheckPage["typed"]): boolean {
  return Object.values(fields).some((value) => value !== "");
}

/** What is checked now is checked by the current version. */
const CHECKED_BY = PUBLIC_VERSIONS[0];

/** Asked again so often while it is under way. */
const REFRESH_SECONDS = 2;

export type Questions = ReadonlyMap<string, string>;

export function jobView(job: EvaluationJob, steps: readonly NextStep[], questions: Questions): View {
  const { id, identifier, status, result, error } = job;
  const common = { twin: `/evaluation-jobs/${id}`, unlisted: true, description: "A dataset that is measured now." };
  if (status === "failed" && error !== null) {
    return {
      ...common,
      title: "The check failed",
      body: html`<p class="crumbs"><a href="/check">Check a dataset</a></p><h1>The check of ${identifier} failed</h1>${refusal(error)}<p><a class="button" href="/check?identifier=${encodeURIComponent(identifier)}">Try again</a></p>`,
    };
  }
  if (result === null) {
    const words = status === "queued" ? "It waits for its turn." : "Its repository is being asked.";
    return {
      ...common,
      title: "Checking…",
      refreshSeconds: REFRESH_SECONDS,
      body: html`<p class="crumbs"><a href="/check">Check a dataset</a></p><h1>Checking ${identifier}</h1><p role="status" class="lead" data-job="/evaluation-jobs/${id}">${words} This page looks again by itself.</p><p><progress aria-label="Under way"></progress></p><p><a href="/check/${id}">Look now</a></p>`,
    };
  }
  const { record, basis, evaluatedAt, release } = result.evaluation;
  return {
    ...common,
    title: record.title ?? identifier,
    body: html`<p class="crumbs"><a href="/check">Check a dataset</a></p><h1 dir="auto">${record.title ?? identifier}</h1>
<p class="muted">${release === null ? html`Measured ${when(evaluatedAt)}` : html`From release ${release.scoreReleaseVersion}: <a href="/datasets/${record.id}">its page</a>`} · ${identifier}</p>
${score(record, steps, questions)}
${basis === null ? null : basisFacts(basis)}
<h2>Keep it</h2><p>Measurements are kept under your account if you ask for it; nothing is kept otherwise, but for 30 days under this address.</p>${press("/me/measurements", { identifier }, "Keep this in my account")} ${press("/me", { do: "submit", identifier }, "Ask for it to be in the next release")}`,
  };
}

/** `source`: its name; `form`: the same form again, with what was typed. */
export function draftView({ draft }: DraftResult, source: string, questions: Questions, form: Html): View {
  const { record, basis } = draft;
  return {
    title: "Your draft",
    description: "What a draft would score.",
    unlisted: true,
    body: html`<p class="crumbs"><a href="/check">Check a dataset</a></p><h1>Your draft, if you published it now</h1>
<p class="muted" dir="auto">${record.title ?? "Without a title"} · as ${source} would describe it</p>
${score(record, draft.improvements, questions)}
${basisFacts(basis)}
<h2 id="draft">Change it, and check again</h2><p>Nothing was kept: what you filled in stands on this page alone. A file has to be chosen again.</p>${form}`,
  };
}

function score(record: RecordDetail, steps: readonly NextStep[], questions: Questions): Html {
  const { score: scored } = record;
  return html`${
    scored === null
      ? html`<div class="note"><p><strong>No score.</strong> Too little could be judged, or it could not be read. That says nothing about the dataset.</p></div>`
      : html`<div class="score"><div><p><span class="big">${scored.total}</span> <span class="of">of 100 points; ${record.cap} can be reached there</span></p>${meter(scored.total, 100, record.cap)}${bucketBars(scored.bucketScores)}</div><div>${signalGrid(record)}</div></div>`
  }
<h2 id="next">What to do next</h2>${nextSteps(steps, record)}
<h2 id="signals">The 25 signals</h2>${scored === null ? signalGrid(record) : null}${signalDetails(record, questions, CHECKED_BY)}`;
}

/** Everything a score rests on. Each field has a row, even if it is empty. */
function basisFacts({ asOf, contract, pledge, policy, reader, unreadable }: EvaluationBasis): Html {
  const rows: [string, Html | string][] = [
    ["As of", when(asOf)],
    ["Contract", html`<a href="/rubrics/${contract.id}">${contract.id}</a> <code>${contract.digest}</code>`],
    ["Pledge", html`${pledge.source} <code>${pledge.digest}</code>`],
    ["Can never be carried there", columns(pledge.neverCarries)],
    ["Reader", reader === null ? UNKNOWN : html`version ${reader.version} <code>${reader.digest}</code>`],
    ["Least for a total", `${policy.leastEvaluable} signals that could be judged`],
    ["Could not be read", columns(unreadable)],
  ];
  return html`<details><summary>What this score rests on</summary><p class="small">With the evidence of the signals above and the contract this is all it takes to come to the same score.</p>
<dl class="facts">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></details>`;
}

function columns(names: readonly string[]): string {
  return names.join(", ") || "nothing";
}
