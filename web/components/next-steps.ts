/** The next steps: what adds most points for least effort first; what is not known is asked, and promises nothing. */

import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { AdviceFor, Effort } from "../../schemas/public/form.ts";
import { type Html, html } from "../html.ts";
import { remembered } from "./remembered.ts";
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

export function nextSteps(steps: readonly NextStep[], { scoreStatus }: Pick<RecordDetail, "scoreStatus">): Html {
  if (scoreStatus === "failed") return html`<p>The metadata could not be read, so it is not known what is missing.</p>`;
  const known = steps.filter(({ points }) => points !== null);
  const asked = steps.filter(({ points }) => points === null);
  if (steps.length === 0) return html`<p>Nothing is missing that this repository could carry.</p>`;
  return html`${known.length === 0 ? html`<p>Nothing is known to be missing.</p>` : by(known)}${
    asked.length === 0
      ? null
      : html`<details class="by"><summary>${asked.length === 1 ? "One thing is" : `${asked.length} things are`} not known, and neither add nor take points</summary>${by(asked)}</details>`
  }`;
}

/** Steps that the same person takes in the same way stand together; the depositor's own with the least effort first. */
function by(steps: readonly NextStep[]): Html[] {
  const groups = [...Map.groupBy(steps, ({ adviceFor, effort }) => JSON.stringify([adviceFor, effort])).values()];
  return groups
    .toSorted(([one], [other]) => rank(one) - rank(other))
    .map((group) => {
      const points = group.reduce((sum, step) => sum + (step.points ?? 0), 0);
      return html`<h3 class="by">${wayOf(group[0])}${points === 0 ? null : html` <span class="muted">· up to ${points} points</span>`}</h3><ol class="steps">${group
        .toSorted((one, other) => (other.points ?? 0) - (one.points ?? 0))
        .map((step) => one(step))}</ol>`;
    });
}

/** Whose job it is, and what it takes. */
function wayOf(step: NextStep | undefined): string {
  const { adviceFor = null, effort = null } = step ?? {};
  const job = [adviceFor === null ? null : JOB_WORDS[adviceFor], effort === null ? null : EFFORT_WORDS[effort]];
  const words = job.filter((text) => text !== null).join(": ");
  return words === "" ? "Whoever keeps the record" : words;
}

const one = remembered(({ points, signals, advice }: NextStep): Html => {
  return html`<li><b>${points === null ? "?" : html`+${points}<small>points</small>`}</b><div><p class="what">${signals.map(
    ({ id, name }, i) => html`${i === 0 ? "" : ", "}<a href="#${id}">${name}</a>`,
  )}</p>${advice.map((text) => html`<p>${text}</p>`)}</div></li>\n`;
});

function rank(step: NextStep | undefined): number {
  const { adviceFor = null, effort = null } = step ?? {};
  return (adviceFor === "depositor" ? 0 : 10) + EFFORT_ORDER.indexOf(effort);
}
