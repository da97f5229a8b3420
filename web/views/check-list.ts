/** The view that looks up a list of identifiers: a form, then a table, a summary and the signals to fix first. */

import type { SignalImprovements } from "../../schemas/public/api/improvements.ts";
import { type LookedUp, MAX_LOOKED_UP } from "../../schemas/public/api/lookup.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import { averageMeter, meter } from "../components/bars.ts";
import { columnsLink } from "../components/csv.ts";
import type { View } from "../components/document.ts";
import { countText, integer } from "../components/figures.ts";
import { errorSummary, textArea } from "../components/forms.ts";
import { improvementParts, largestGains } from "../components/improvements.ts";
import { averageFigure } from "../components/list-columns.ts";
import { addQuery } from "../components/navigation.ts";
import { datasetName, MAX_UNBROKEN } from "../components/record-rows.ts";
import { findTier, shareCell } from "../components/score.ts";
import { capitalised } from "../components/state-words.ts";
import { numberColumn, table } from "../components/table.ts";
import { type Html, type HtmlPart, html } from "../html.ts";

export interface CheckListPage {
  /** The text that the user typed into the form, which the view shows again. */
  readonly typed: string;
  readonly rejected: Problem | null;
  readonly result: ListResult | null;
}

export interface ListResult {
  readonly data: readonly LookedUp[];
  /** The signals to fix first; null if no dataset was found. */
  readonly improvements: SignalImprovements | null;
  readonly names: ReadonlyMap<string, string>;
}

const TITLE = "Check a list";

/** Examples of identifiers of each kind, with two spellings of a DOI. */
const EXAMPLES = ["10.5281/zenodo.3678326", "doi:10.5061/dryad.8515", "NCT04280705", "https://osf.io/ezcuj"];

export function checkListView({ typed, rejected, result }: CheckListPage): View {
  return {
    title: rejected === null ? TITLE : `Error: ${TITLE}`,
    description: `Look up the scores of up to ${integer(MAX_LOOKED_UP)} datasets by their DOIs or other identifiers.`,
    unlisted: rejected !== null || result !== null,
    body: html`<p class="crumbs"><a href="/check">Check a dataset</a></p>
${result === null ? null : html`<h1>${TITLE}</h1>\n${results(result, typed)}\n`}<div class="beside"><div>${
      result === null
        ? html`<h1>${TITLE}</h1>
${rejected === null ? null : errorSummary(rejected)}
<p class="lead">Get the scores of up to ${integer(MAX_LOOKED_UP)} datasets at once, their average, and the signals to fix first.</p>`
        : html`<h2 id="form">Change the list</h2>`
    }
<form method="post" action="/check-list" enctype="multipart/form-data">
<p>${textArea({
      name: "identifiers",
      label: "Identifiers",
      hint: `One on each line, at most ${integer(MAX_LOOKED_UP)}: for example 10.5281/zenodo.3678326 or NCT04280705`,
      value: typed,
    })}</p>
<p><label for="f-file">Or a file</label><span class="hint" id="h-file">CSV with the identifiers in the first column, or one identifier on each line</span><input id="f-file" name="file" type="file" accept=".csv,.txt,text/csv,text/plain" aria-describedby="h-file"></p>
<p><button>Check the list</button></p>
<p class="small muted">We look up published scores and store nothing. A dataset that is not in the current release can be <a href="/check">checked by itself</a>.</p></form></div>
${result === null ? example() : null}</div>`,
  };
}

function example(): Html {
  return html`<section class="panel"><h2>For example</h2>
<pre>${EXAMPLES.join("\n")}</pre>
<h3>You get</h3>
<ul><li>the score and the possible points of each dataset, also as CSV</li><li>the average of all of them</li><li>the signals that most of them miss, and how to pass each</li></ul></section>`;
}

export const REASONS: Readonly<Record<NonNullable<LookedUp["reason"]>, string>> = {
  malformed: "Not an identifier",
  unsupported: "From a service that we do not harvest",
  withdrawn: "Withdrawn at its source",
  not_dataset: "Not a dataset",
  unknown: "Not in the current release",
};

/** Returns the result of an identifier in words. */
export function resultText({ record, reason, supersededBy }: LookedUp): string {
  if (record === null) return REASONS[reason ?? "unknown"];
  return supersededBy === null ? "Found" : "Found, as a copy of this dataset";
}

function results({ data, improvements, names }: ListResult, typed: string): Html {
  const found = data.filter(({ record }) => record !== null);
  const mean = improvements?.data.meanScore ?? null;
  const cap = improvements?.data.meanCap ?? null;
  return html`<div class="beside"><div><ul class="figures"><li><b>${integer(found.length)}</b> of ${countText(data.length, "identifier")} found</li><li>${averageFigure(mean, cap)} average score</li></ul>
${mean === null ? null : averageMeter(mean, cap)}<form method="post" action="/check-list"><input type="hidden" name="identifiers" value="${typed}"><input type="hidden" name="form" value="csv"><div class="actions"><button class="quiet">Download as CSV</button><span>${columnsLink()} · <a href="#form">Change the list</a></span></div></form></div>
${improvements === null ? null : html`<section class="panel"><h2>The most useful changes</h2>${largestGains(improvements)}</section>`}</div>
<h2 id="datasets">All identifiers</h2>
${table(
  "The identifiers in your order, with the published scores",
  [
    { name: "Identifier" },
    { name: "Dataset, or the reason", isLong: true },
    numberColumn("Score"),
    numberColumn("Share of possible"),
  ],
  data.map((entry): HtmlPart[] => [
    html`<bdi${entry.identifier.length > MAX_UNBROKEN ? null : html` class="nowrap"`}>${entry.identifier}</bdi>`,
    renderDataset(entry),
    ...formatScore(entry),
  ]),
)}
${improvements === null ? null : html`<h2 id="fix">Signals to fix first</h2>${improvementParts(improvements, names)}`}`;
}

/** Returns the points above their bar, and their share of the possible points with the word for it. */
function formatScore({ record }: LookedUp): readonly [score: HtmlPart, share: HtmlPart] {
  if (record === null) return ["", ""];
  const { score, cap } = record;
  if (score === null) return ["No score", ""];
  const bar = meter(score.total, { most: 100, cap, tier: findTier(record) });
  const most = cap ?? 100;
  return [html`<data value="${score.total}">${score.total} of ${most}</data>${bar}`, shareCell(record)];
}

function renderDataset(entry: LookedUp): Html {
  const { identifier, record, reason, detail, supersededBy } = entry;
  if (record !== null) {
    return html`<a href="/datasets/${record.id}"><bdi>${datasetName(record)}</bdi></a><br><span class="muted small">${record.repository}${supersededBy === null ? "" : " · this is a copy of that dataset"}</span>`;
  }
  if (reason === "malformed" && detail !== null)
    return html`${capitalised(detail)}. <span class="muted">Use a DOI, an accession number, or the URL of the dataset.</span>`;
  return html`${resultText(entry)}${detail === null ? null : html` <span class="muted">${detail}</span>`}${
    reason === "unknown"
      ? html` · <a rel="nofollow" href="${addQuery("/check", { identifier })}">check it now</a>`
      : null
  }`;
}
