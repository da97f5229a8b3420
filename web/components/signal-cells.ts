/** The 25 signals of one dataset: a grid to see at once, and below it each with evidence, field, advice and points. */

import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { EVIDENCE } from "../../schemas/public/evidence.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { BUCKETS } from "../../schemas/public/signal.ts";
import { type Html, html } from "../html.ts";
import { UNKNOWN } from "./figures.ts";
import { underVersion } from "./navigation.ts";
import { remembered } from "./remembered.ts";
import { BUCKET_NAMES, EFFORT_WORDS, JOB_WORDS, STATE_WORDS } from "./words.ts";

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
