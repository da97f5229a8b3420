/** The 25 signals of one dataset: a grid, details with evidence, advice and points, and the next steps. */

import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { EVIDENCE } from "../../schemas/public/evidence.ts";
import type { AdviceFor, Effort } from "../../schemas/public/form.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { BUCKETS, type BucketId, POINTS_PER_SIGNAL } from "../../schemas/public/signal.ts";
import { type Html, html } from "../html.ts";
import { pointsOfCap } from "./bars.ts";
import { UNKNOWN } from "./figures.ts";
import { memoise } from "./memoise.ts";
import { underVersion } from "./navigation.ts";
import { BUCKET_NAMES, EFFORT_ORDER, EFFORT_WORDS, JOB_WORDS, STATE_WORDS } from "./words.ts";

type SignalResult = RecordDetail["signals"][number];

const FACTS: ReadonlyMap<string, string> = new Map(EVIDENCE.map(({ name, fact }) => [name, fact]));

export function signalGrid({ signals, cap }: Pick<RecordDetail, "signals" | "cap">): Html {
  return html`<ul class="cells">${signals.map(({ id, name, state }) => cell(id, name, state, cap))}</ul>
<ul class="legend"><li>✓ yes: four points</li><li>✗ no: possible but missing</li><li>? not known: no points until it is known</li>${cap < 100 ? html`<li>– not possible here; the highest score is ${cap}</li>` : null}<li>Only ✗ is a fault of the dataset.</li></ul>`;
}

const cell = memoise((id: SignalResult["id"], name: string, state: SignalResult["state"], cap: number): Html => {
  const { look, sign, word } = STATE_WORDS[state];
  const text = state === "unsupported" ? `${word}; the highest score is ${cap}` : word;
  return html`<li class="${look}"><a href="#${id}" title="${name}: ${text}"><span aria-hidden="true">${sign}</span><small>${id}<span class="visually-hidden"> ${name}: ${text}</span></small></a></li>`;
});

export function bucketCaps({ signals }: Pick<RecordDetail, "signals">): Readonly<Record<BucketId, number>> {
  const caps = { S: 0, H: 0, A: 0, R: 0, E: 0 };
  for (const { bucket, state } of signals) if (state !== "unsupported") caps[bucket] += POINTS_PER_SIGNAL;
  return caps;
}

/** `questions` has the question of each signal by id. */
export function signalDetails(
  { signals, cap }: Pick<RecordDetail, "signals" | "cap">,
  questions: ReadonlyMap<string, string>,
  version: PublicVersion,
): Html[] {
  return BUCKETS.map((bucket) => {
    const own = signals.filter((signal) => signal.bucket === bucket);
    const points = own.reduce((sum, signal) => sum + signal.points, 0);
    return html`<h3>${BUCKET_NAMES[bucket]} <span class="muted">${pointsOfCap(points, bucketCaps({ signals })[bucket])}</span></h3>${own.map(
      (signal) => signalDetail(signal, questions.get(signal.id) ?? null, version, cap),
    )}`;
  });
}

/** Renders one signal. The result is cached, because many datasets share it. */
const signalDetail = memoise((signal: SignalResult, question: string | null, version: PublicVersion, cap: number) => {
  const { id, name, state, field, evidence, advice, adviceFor, effort } = signal;
  const { look, sign, word, meaning } = STATE_WORDS[state];
  const job = [adviceFor === null ? null : JOB_WORDS[adviceFor], effort === null ? null : EFFORT_WORDS[effort]];
  return html`<details id="${id}"><summary><span class="state ${look}">${sign} ${word}</span><span class="muted">${id}</span> <span class="name">${name}</span><span class="pts">${pointsText(signal, cap)}</span></summary>
${question === null ? null : html`<p>${question}</p>`}<p>${meaning}</p>
${advice === null ? null : html`<p><strong>${look === "none" ? "Advice" : "How to pass"}:</strong> ${advice} <span class="muted">${job.filter((text) => text !== null).join("; ")}</span></p>`}
<dl>${Object.entries(evidence).map(
    ([column, value]) => html`<dt>${FACTS.get(column) ?? column}</dt><dd dir="auto">${valueText(value)}</dd>`,
  )}${field === null ? null : html`<dt>read from</dt><dd><code>${field}</code></dd>`}</dl>
<p class="small"><a href="${underVersion(`/signals/${id}`, version)}">About this signal</a></p></details>`;
});

function pointsText({ state, points }: SignalResult, cap: number): string {
  if (state === "unsupported") return `the highest score is ${cap}`;
  return STATE_WORDS[state].look === "none" ? "0 to 4 points" : `${points} of 4`;
}

function valueText(value: SignalResult["evidence"][string]): string {
  if (value === null) return UNKNOWN;
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value === "" ? "none recognised" : String(value);
}

/** One field to fill in, and the points for it. */
export interface NextStep {
  /** Null if it is unknown whether the points are missing. */
  readonly points: number | null;
  readonly adviceFor: AdviceFor | null;
  readonly effort: Effort | null;
  readonly signals: readonly { readonly id: string; readonly name: string }[];
  readonly advice: readonly string[];
}

/** Returns the next steps, with most points for the least effort first. Steps for unknown signals promise no points. */
export function nextSteps(steps: readonly NextStep[], { scoreStatus }: Pick<RecordDetail, "scoreStatus">): Html {
  if (scoreStatus === "failed") return html`<p>We could not read the metadata, so we cannot suggest next steps.</p>`;
  const known = steps.filter(({ points }) => points !== null);
  const unknown = steps.filter(({ points }) => points === null);
  if (steps.length === 0) return html`<p>The dataset has everything that is possible in this repository.</p>`;
  return html`${known.length === 0 ? html`<p>We know of no missing item.</p>` : stepGroups(known)}${
    unknown.length === 0
      ? null
      : html`<details class="by"><summary>${unknown.length === 1 ? "One unknown item, which does" : `${unknown.length} unknown items, which do`} not change the score</summary>${stepGroups(unknown)}</details>`
  }`;
}

/** Groups steps by person and effort. The depositor's steps with the least effort come first. */
function stepGroups(steps: readonly NextStep[]): Html[] {
  const groups = [...Map.groupBy(steps, ({ adviceFor, effort }) => JSON.stringify([adviceFor, effort])).values()];
  return groups
    .toSorted(([one], [other]) => rank(one) - rank(other))
    .map((group) => {
      const points = group.reduce((sum, step) => sum + (step.points ?? 0), 0);
      return html`<h3 class="by">${groupHeading(group[0])}${points === 0 ? null : html` <span class="muted">· up to ${points} points</span>`}</h3><ol class="steps">${group
        .toSorted((one, other) => (other.points ?? 0) - (one.points ?? 0))
        .map((step) => one(step))}</ol>`;
    });
}

/** Returns the person and the effort of a group. */
function groupHeading(step: NextStep | undefined): string {
  const { adviceFor = null, effort = null } = step ?? {};
  const job = [adviceFor === null ? null : JOB_WORDS[adviceFor], effort === null ? null : EFFORT_WORDS[effort]];
  const words = job.filter((text) => text !== null).join(": ");
  return words === "" ? "For the repository to do" : words;
}

const one = memoise(({ points, signals, advice }: NextStep): Html => {
  return html`<li><b>${points === null ? "?" : html`+${points}<small>points</small>`}</b><div><p class="what">${signals.map(
    ({ id, name }, i) => html`${i === 0 ? "" : ", "}<a href="#${id}">${name}</a>`,
  )}</p>${advice.map((text) => html`<p>${text}</p>`)}</div></li>\n`;
});

function rank(step: NextStep | undefined): number {
  const { adviceFor = null, effort = null } = step ?? {};
  return (adviceFor === "depositor" ? 0 : 10) + EFFORT_ORDER.indexOf(effort);
}
