/** The result of a check: how far it is, why it failed, or the score with what to do next. */

import type { DraftResult, EvaluationJob } from "../../schemas/public/api/evaluation.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { basisFacts } from "../components/basis.ts";
import { bucketBars } from "../components/bucket-bars.ts";
import { press } from "../components/fields.ts";
import { when } from "../components/figures.ts";
import { meter } from "../components/meter.ts";
import { type NextStep, nextSteps } from "../components/next-steps.ts";
import { refusal } from "../components/refusal.ts";
import { signalDetails, signalGrid } from "../components/signal-cells.ts";
import type { View } from "../components/view.ts";
import { type Html, html } from "../html.ts";

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
