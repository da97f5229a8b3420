/** The next steps: what adds most points for least effort first; what is not known is asked, and promises nothing. */

import { type Html, html } from "../../api-static/html/html.ts";
import type { AdviceFor, Effort } from "../../schemas/public/form.ts";
import { EFFORT_ORDER, EFFORT_WORDS, JOB_WORDS } from "./words.ts";

/** One place to fill in, and what it would bring. */
export interface NextStep {
  /** Null where it is not known whether they are missing. */
  readonly points: number | null;
  readonly adviceFor: AdviceFor | null;
  readonly effort: Effort | null;
  readonly signals: readonly { readonly id: string; readonly name: string }[];
  readonly advice: readonly string[];
}

export function nextSteps(steps: readonly NextStep[]): Html {
  const known = steps.filter(({ points }) => points !== null).toSorted((one, other) => rank(one) - rank(other));
  const asked = steps.filter(({ points }) => points === null);
  if (steps.length === 0) return html`<p>Nothing is missing that this repository could carry.</p>`;
  return html`${known.length === 0 ? html`<p>Nothing is known to be missing.</p>` : html`<ol class="steps">${known.map((step) => one(step))}</ol>`}${
    asked.length === 0
      ? null
      : html`<details><summary>${asked.length === 1 ? "One thing is" : `${asked.length} things are`} not known, and neither add nor take points</summary><ul class="steps">${asked.map((step) => one(step))}</ul></details>`
  }`;
}

function one({ points, signals, advice, adviceFor, effort }: NextStep): Html {
  const job = [adviceFor === null ? null : JOB_WORDS[adviceFor], effort === null ? null : EFFORT_WORDS[effort]];
  return html`<li${points === null ? html` class="ask"` : null}>${points === null ? null : html`<b>+${points} points</b>`}${signals.map(
    ({ id, name }, i) => html`${i === 0 ? "" : ", "}<a href="#${id}">${name}</a>`,
  )}${advice.map((text) => html`<p>${text}</p>`)}<p class="muted small">${job.filter((text) => text !== null).join("; ")}</p></li>\n`;
}

/** The depositor's own part first, then by points for the effort. */
function rank({ points, effort, adviceFor }: NextStep): number {
  const own = adviceFor === "depositor" ? 0 : 1000;
  return own - (points ?? 0) / (1 + EFFORT_ORDER.indexOf(effort));
}
