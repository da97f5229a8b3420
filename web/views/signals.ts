/** The 25 signals: what each asks, and how common it is. */

import type { RubricDescriptor } from "../../schemas/public/api/rubric.ts";
import { type Prevalence, prevalenceBar, prevalenceText } from "../components/prevalence.ts";
import { olderVersion, underVersion } from "../components/under-version.ts";
import type { View } from "../components/view.ts";
import { STATE_WORDS } from "../components/words.ts";
import { html } from "../html.ts";

/** `overall`: of all datasets together, by signal. */
export function signalsView(rubric: RubricDescriptor, overall: ReadonlyMap<string, Prevalence>): View {
  return {
    title: "How it is scored",
    description: "The 25 questions behind a SHARE score: what each asks, why, and how common a yes is.",
    twin: `/rubrics/${rubric.version}`,
    body: html`<h1>How a dataset is scored</h1>
${olderVersion(rubric.version, "/signals")}
<p class="lead">25 questions of four points each. ${rubric.summary}</p>
<h2>What an answer can be</h2>
<dl class="facts">${Object.values(STATE_WORDS)
      .filter(({ word }, i, all) => all.findIndex((other) => other.word === word) === i)
      .map(
        ({ sign, word, meaning, look }) =>
          html`<dt><span class="state ${look}">${sign} ${word}</span></dt><dd>${meaning}</dd>`,
      )}</dl>
${rubric.buckets.map(
  ({ id, name, question, description }) =>
    html`<h2 id="${id}">${name}</h2><p><strong>${question}</strong> ${description}</p><ul class="rows">${rubric.signals
      .filter(({ bucket }) => bucket === id)
      .map((signal) => {
        const common = overall.get(signal.id);
        return html`<li><div class="figure">${signal.id}</div><div><h3><a href="${underVersion(`/signals/${signal.id}`, rubric.version)}">${signal.name}</a></h3><p>${signal.question}</p>${common === undefined ? null : html`${prevalenceBar(common)}<p class="small">Yes: ${prevalenceText(common)} datasets that could be judged</p>`}</div></li>`;
      })}</ul>`,
)}
<p>${rubric.version === "2.0" ? html`<a href="/signals?rubric=1.0">The signals of SHARE 1.0</a>` : html`<a href="/signals">The signals of SHARE 2.0</a>`}</p>`,
  };
}
