/** The 25 signals of one dataset: a grid, each signal with evidence, advice and points, and the next steps. */

import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { EVIDENCE } from "../../schemas/public/evidence.ts";
import type { AdviceFor, Effort } from "../../schemas/public/form.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { BUCKETS } from "../../schemas/public/signal.ts";
import { type Html, html } from "../html.ts";
import { UNKNOWN } from "./figures.ts";
import { underVersion } from "./navigation.ts";
import { remembered } from "./remembered.ts";
import { BUCKET_NAMES, EFFORT_ORDER, EFFORT_WORDS, JOB_WORDS, STATE_WORDS } from "./words.ts";

type SignalResult = RecordDetail["signals"][number];

const FACTS: ReadonlyMap<string, string> = new Map(EVIDENCE.map(({ name, fact }) => [name, fact]));

export function signalGrid({ signals }: Pick<RecordDetail, "signals">): Html {
  return html`<ul class="cells">${signals.map(({ id, name, state }) => cell(id, name, state))}</ul>
<ul class="legend"><li>✓ yes, four points</li><li>✗ no, though it could be</li><li>? not known</li><li>– not possible there</li><li>Only ✗ speaks against the dataset.</li></ul>`;
}

const cell = remembered((id: SignalResult["id"], name: string, state: SignalResult["state"]): Html => {
  const { look, sign, word } = STATE_WORDS[state];
  return html`<li class="${look}"><a href="#${id}" title="${name}: ${word}"><span aria-hidden="true">${sign}</span><small>${id}<span class="visually-hidden"> ${name}: ${word}</span></small></a></li>`;
});

/** `asked`: what each signal asks, by its id. */
export function signalDetails(
  { signals }: Pick<RecordDetail, "signals">,
  asked: ReadonlyMap<string, string>,
  version: PublicVersion,
): Html[] {
  return BUCKETS.map((bucket) => {
    const own = signals.filter((signal) => signal.bucket === bucket);
    const points = own.reduce((sum, signal) => sum + signal.points, 0);
    return html`<h3>${BUCKET_NAMES[bucket]} <span class="muted">${points} of 20</span></h3>${own.map((signal) =>
      signalDetail(signal, asked.get(signal.id) ?? null, version),
    )}`;
  });
}

/** Renders one signal. The result is cached, because many datasets share it. */
const signalDetail = remembered((signal: SignalResult, question: string | null, version: PublicVersion): Html => {
  const { id, name, state, points, field, evidence, advice, adviceFor, effort } = signal;
  const { look, sign, word, meaning } = STATE_WORDS[state];
  const job = [adviceFor === null ? null : JOB_WORDS[adviceFor], effort === null ? null : EFFORT_WORDS[effort]];
  return html`<details id="${id}"><summary><span class="state ${look}">${sign} ${word}</span><span class="muted">${id}</span> <span class="name">${name}</span><span class="pts">${
    look === "none" ? "not counted" : `${points} of 4`
  }</span></summary>
${question === null ? null : html`<p>${question}</p>`}<p>${meaning}</p>
${advice === null ? null : html`<p><strong>${look === "none" ? "Worth asking" : "What to do"}:</strong> ${advice} <span class="muted">${job.filter((text) => text !== null).join("; ")}</span></p>`}
<dl>${Object.entries(evidence).map(
    ([column, value]) => html`<dt>${FACTS.get(column) ?? column}</dt><dd dir="auto">${shown(value)}</dd>`,
  )}${field === null ? null : html`<dt>read from</dt><dd><code>${field}</code></dd>`}</dl>
<p class="small"><a href="${underVersion(`/signals/${id}`, version)}">About this signal</a></p></details>`;
});

function shown(value: SignalResult["evidence"][string]): string {
  if (value === null) return UNKNOWN;
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value === "" ? "none recognised" : String(value);
}

/** One place to fill in, and what it would bring. */
export interface NextStep {
  /** Null where it is not known whether they are missing. */
  readonly points: number | null;
  readonly adviceFor: AdviceFor | null;
  readonly effort: Effort | null;
  readonly signals: readonly { readonly id: string; readonly name: string }[];
  readonly advice: readonly string[];
}

/** The next steps: most points for the least effort first. Unknown signals are asked about, and promise no points. */
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
