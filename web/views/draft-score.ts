/** The score of a draft or of a checked dataset. The worker of the check page renders it too, so it imports little. */

import type { DraftResult, Evaluation, EvaluationBasis } from "../../schemas/public/api/evaluation.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { plural, timeElement, UNKNOWN } from "../components/figures.ts";
import { scoreSection } from "../components/score.ts";
import { type NextStep, nextSteps, signalDetails } from "../components/signals.ts";
import { type Html, html } from "../html.ts";
import { t } from "../languages/translate.ts";

/** The SHARE version under which drafts and checked datasets are scored: the current version. */
const CHECKED_BY = PUBLIC_VERSIONS[0];

export type Questions = ReadonlyMap<string, string>;

export interface DraftRepositories {
  /** The name of the repository for which the draft was scored. */
  readonly source: string;
  /** The name of the repository that the user selected, if the file has the format of another one; otherwise null. */
  readonly chosen: string | null;
}

/** Returns the score of a draft with its next steps and signals. The script of the check page shows it too. */
export function draftScore(
  { draft }: DraftResult,
  { source, chosen }: DraftRepositories,
  questions: Questions,
  actions: Html | null = null,
): Html {
  const { record, basis } = draft;
  // How much work a step is depends on what is published, and nothing is. The user can change it without the repository.
  const steps = draft.improvements.map((step) => ({ ...step, effort: null }));
  const scored = { ...record, repository: null };
  const options = { ...checkedOptions(source, basis), ...(actions === null ? {} : { actions }) };
  // The page of a draft has the title as its heading.
  return html`${actions !== null || record.title === null ? null : html`<p dir="auto">${record.title}</p>`}<p class="muted">The score if you published it now, as ${source} would publish it</p>
${record.title === null ? missingTitle(draft.source, source) : null}
${chosen === null ? null : html`<p class="note" role="status">You selected ${chosen}, but the file has the format of ${source}. So this is its score at ${source}. For a score at ${chosen}, export the metadata in that format, or <a href="/check#form">fill in the form</a>.</p>`}
${scoreSection(scored, options, nextSteps(steps, scored, true))}
${signalsSection(scored, questions)}
${basisFacts(basis, source)}`;
}

/** Offers the filled-in form as a file. `deposit` is the deposit that was scored. */
export function draftFile(deposit: string): Html {
  return html`<p><a class="button quiet" download="zenodo-deposit.json" href="data:application/json;charset=utf-8,${encodeURIComponent(deposit)}">Download the draft</a> <span class="small muted">The format is that of deposits at Zenodo. You can choose the file here again.</span></p>`;
}

/** A repaired file: its usual name, its text and its score, with the changes. */
export interface RepairedFile {
  readonly fileName: string;
  readonly text: string;
  readonly total: number | null;
  readonly changes: readonly {
    readonly field: string;
    readonly original?: unknown;
    readonly repaired: unknown;
    readonly foundIn: string;
  }[];
}

/** Maximum number of characters of a file that is offered as a link. */
const MAX_FILE = 1024 * 1024;

/** Offers the draft as a file with its facts in the right fields. `fileName` is the name of the user's file, or null. */
export function repairedFile(
  repaired: RepairedFile | null,
  fileName: string | null,
  { score, cap }: Pick<RecordDetail, "score" | "cap">,
): Html | null {
  if (repaired === null || repaired.text.length > MAX_FILE) return null;
  const { text, total, changes } = repaired;
  const name = fileName ?? repaired.fileName;
  const points =
    total === null
      ? null
      : html` ${plural(changes.length, "In its field, the score is", "In their fields, the score is")} <strong>${t`${total} of ${cap ?? ""}`}</strong>${score === null ? null : html` instead of ${score.total}`}.`;
  return html`<section class="panel" id="repaired"><h2>Take home a repaired file</h2>
<p>${plural(changes.length, "One fact stands in the wrong place of your metadata.", "{0} facts stand in the wrong place of your metadata.")}${points} We copied only what your metadata say.</p>
<p><a class="button" download="${name}" href="data:application/json;charset=utf-8,${encodeURIComponent(text)}">Download ${name}</a></p>
<details><summary>Show what changes</summary><dl class="small">${changes.map(
    ({ field, original, repaired: value, foundIn }) =>
      html`<div><dt><code>${field}</code></dt> <dd dir="auto">${original === undefined || original === "" ? null : html`<del>${asWords(original)}</del> `}<ins>${asWords(value)}</ins> <span class="muted">from ${foundIn}</span></dd></div>`,
  )}</dl></details></section>`;
}

function asWords(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Sources whose documentation requires a title. */
const REQUIRE_TITLE = ["datacite", "dataverse", "dryad", "edi", "figshare", "openneuro", "zenodo"];

function missingTitle(source: string, name: string): Html {
  return html`<p class="warn" role="status"><strong>A title is missing.</strong>${REQUIRE_TITLE.includes(source) ? ` ${t`${name} requires one.`}` : null}</p>`;
}

export function checkedScore(
  { record, basis }: Pick<Evaluation, "record" | "basis">,
  source: string,
  steps: readonly NextStep[],
  questions: Questions,
): Html {
  return html`${scoreSection(record, checkedOptions(source, basis), nextSteps(steps, record))}
${signalsSection(record, questions)}`;
}

function checkedOptions(source: string, basis: EvaluationBasis | null) {
  const needed = basis?.policy.leastEvaluable ?? null;
  return { version: CHECKED_BY, source, isLive: true, standing: null, needed };
}

function signalsSection(record: RecordDetail, questions: Questions): Html {
  return html`<section class="unprinted" aria-labelledby="signals"><h2 id="signals">The 25 signals</h2>${signalDetails(record, questions, CHECKED_BY)}</section>`;
}

/** Returns a list of the inputs from which a score was computed besides the evidence. `source` is the name of the source. */
export function basisFacts(
  { asOf, contract, pledge, policy, reader, unreadable }: EvaluationBasis,
  source: string,
): Html {
  const rows: [string, Html | string][] = [
    [t("As of"), timeElement(asOf)],
    [t("Contract"), html`<a href="/rubrics/${contract.id}">${contract.id}</a> <code>${contract.digest}</code>`],
    [t("Pledge"), html`${pledge.source} <code>${pledge.digest}</code>`],
    [t`Never provided by ${source}`, columns(pledge.neverCarries)],
    [t("Reader"), reader === null ? t(UNKNOWN) : html`version ${reader.version} <code>${reader.digest}</code>`],
    [t("Minimum for a score"), t`${policy.leastEvaluable} signals that could be judged`],
    [t("Could not be read"), columns(unreadable)],
  ];
  return html`<details><summary>How to reproduce this score</summary><p class="small">Apply the contract to the evidence of the signals above, with these inputs. You get the same score.</p>
<dl class="facts">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></details>`;
}

function columns(names: readonly string[]): string {
  return names.join(", ") || t("nothing");
}
