/** Shows the 25 signals of one dataset: a grid, details with evidence, advice and points, and the next steps. */

import { DATASET_TIERS, datasetTier } from "../../api-static/pages/numbers.ts";
import { NAMING, NOT_JUDGED } from "../../api-static/pages/record.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { doiAddress } from "../../schemas/public/doi-address.ts";
import { EVIDENCE, type EvidenceName } from "../../schemas/public/evidence.ts";
import type { AdviceFor, Effort } from "../../schemas/public/form.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { BUCKETS, type BucketId, POINTS_PER_SIGNAL } from "../../schemas/public/signal.ts";
import { type Html, html } from "../html.ts";
import { english, language, sign, t } from "../languages/translate.ts";
import { type BucketPoints, bucketBar, meter, pointsOfCap } from "./bars.ts";
import { plural, UNKNOWN } from "./figures.ts";
import { memoise } from "./memoise.ts";
import { addQuery, underVersion } from "./navigation.ts";
import { snippet } from "./snippets.ts";
import {
  BUCKET_NAMES,
  capitalised,
  EFFORT_ORDER,
  EFFORT_WORDS,
  JOB_WORDS,
  STATE_WORDS,
  withoutRemark,
} from "./state-words.ts";

type SignalResult = RecordDetail["signals"][number];

/** The fact that each column of evidence describes, in words, by the name of the column. */
export const FACTS: ReadonlyMap<string, string> = new Map(EVIDENCE.map(({ name, fact }) => [name, fact]));

/**
 * Returns a row for each bucket: its name, its points as a bar with a tick at the possible points, and its five signals.
 * `total` is the score.
 */
export function signalGrid(
  { signals, cap, repository }: Pick<RecordDetail, "signals" | "cap" | "repository">,
  total: number,
): Html {
  const buckets = bucketPoints({ signals });
  const canTry = signals.some(({ state }) => state === "absent");
  return html`<ul class="matrix"${canTry ? html` data-try="${total} ${cap}"` : null}>${BUCKETS.map((bucket) => {
    const own = signals.filter((signal) => signal.bucket === bucket);
    const { points, cap: possible } = buckets[bucket];
    return html`<li${canTry ? html` data-points="${points}" data-cap="${possible}"` : null}><b>${t(BUCKET_NAMES[bucket])}</b>${bucketBar(buckets[bucket])}<span class="num">${pointsOfCap(buckets[bucket])}</span><ul class="cells">${own.map(({ id, name, state }) => cell(id, t(name), state, cap))}</ul></li>`;
  })}</ul>
${canTry ? triedPanel(total, cap, repository !== null) : null}<ul class="legend"><li>✓ yes: four points</li><li>✗ no: possible but missing</li><li>? not known: no points until it is known</li>${cap < 100 ? html`<li>– not possible here; the highest score is ${cap}</li>` : null}<li>Only ✗ is a fault of the dataset.</li></ul>`;
}

/**
 * Returns the bar with the result of changes that a user tries in the grid. It stays in sight below the grid. Trying needs a
 * script; without it, the next steps show the same points.
 */
function triedPanel(total: number, cap: number, hasRepository: boolean): Html {
  const tiers = DATASET_TIERS.map(({ name, from }) => [name, from, ...translatedName(name)]);
  return html`<div class="panel chosen" data-tried="${JSON.stringify(tiers)}" hidden><p><output></output></p>${meter(total, { most: 100, cap, tier: datasetTier(total, cap) })}
<div class="actions"><button type="button">Copy as checklist</button>${hasRepository ? html`<a class="button quiet" href="mailto:">Write to your repository</a>` : null}</div></div>
`;
}

/** Returns the translated name of a tier; an empty list in English. */
function translatedName(name: string): string[] {
  const translated = t(name);
  return translated === name ? [] : [translated];
}

const cell = memoise((id: SignalResult["id"], name: string, state: SignalResult["state"], cap: number): Html => {
  const { look, sign, word } = STATE_WORDS[state];
  const text = state === "unsupported" ? t`${t(word)}; the highest score is ${cap}` : t(word);
  return html`<li class="${look}"><a href="#${id}" title="${id} ${name}: ${text}"><span aria-hidden="true">${sign}</span> <small>${name}<span class="visually-hidden">: ${text}</span></small></a></li>`;
});

/** The states of a signal in which its points are certain. In the other states, the signal may still give points. */
const SETTLED: readonly SignalResult["state"][] = ["passed", "absent", "unsupported"];

/** Returns the points of each bucket. */
export function bucketPoints({ signals }: Pick<RecordDetail, "signals">): Readonly<Record<BucketId, BucketPoints>> {
  const zero = { points: 0, most: 0, cap: 0 };
  const buckets = { S: zero, H: zero, A: zero, R: zero, E: zero };
  for (const { bucket, state, points } of signals) {
    const before = buckets[bucket];
    buckets[bucket] = {
      points: before.points + points,
      most: before.most + (SETTLED.includes(state) ? points : POINTS_PER_SIGNAL),
      cap: before.cap + (state === "unsupported" ? 0 : POINTS_PER_SIGNAL),
    };
  }
  return buckets;
}

/** The signals that are folded, in this order. Signals in one fold have the same sign. */
const FOLDS: readonly {
  readonly states: readonly SignalResult["state"][];
  readonly name: (signals: number) => string;
}[] = [
  {
    states: ["source_missing", "not_evaluable", "failed"],
    name: (signals) => plural(signals, "{0} not known", "{0} not known"),
  },
  { states: ["passed"], name: (signals) => plural(signals, "{0} passed", "{0} passed") },
  { states: ["unsupported"], name: (signals) => plural(signals, "{0} not possible here", "{0} not possible here") },
];

/**
 * Returns the details of the signals by bucket: missing signals are listed, and the others are folded; on phones, all are
 * folded. Without a score, all buckets are one group, because most signals are then not known for the same reason.
 * `questions` has the question of each signal by id.
 */
export function signalDetails(
  { signals, cap, score, values = {} }: Pick<RecordDetail, "signals" | "cap" | "score" | "values">,
  questions: ReadonlyMap<string, string>,
  version: PublicVersion,
): Html {
  const detail = (signal: SignalResult) => {
    const stated = Object.keys(signal.evidence).flatMap((column) => {
      const found = values[column as EvidenceName];
      return found === undefined ? [] : [[column, found] as const];
    });
    const points = score === null ? "" : pointsText(signal, cap);
    return signalDetail(signal, questions.get(signal.id) ?? null, version, points, Object.fromEntries(stated));
  };
  const group = (own: readonly SignalResult[]) => {
    const absent = own.filter(({ state }) => state === "absent");
    const folds = FOLDS.map(({ states, name }) => {
      const some = own.filter(({ state }) => states.includes(state));
      const [first] = some;
      if (first === undefined) return null;
      const { look, sign: mark } = STATE_WORDS[first.state];
      const names =
        score === null ? null : html` <span class="muted">${some.map((each) => t(each.name)).join(sign(", "))}</span>`;
      return html`<details class="fold"><summary><span class="state ${look}">${mark} ${name(some.length)}</span>${names}</summary>${some.map(detail)}</details>`;
    });
    return html`${absent.length === 0 ? null : html`<div class="signals">${absent.map(detail)}</div>`}${folds}`;
  };
  if (score === null) return group(signals);
  const buckets = bucketPoints({ signals });
  return html`<details class="narrow" id="evidence"><summary>Show the evidence for each signal</summary><p>A signal shows the evidence, the field it was read from, and how to pass.</p>${BUCKETS.map(
    (bucket) => {
      const own = signals.filter((signal) => signal.bucket === bucket);
      return html`<h3>${t(BUCKET_NAMES[bucket])} <span class="muted">${pointsOfCap(buckets[bucket])}</span></h3>${group(own)}`;
    },
  )}</details>`;
}

type Stated = NonNullable<NonNullable<RecordDetail["values"]>[EvidenceName]>;

/** Returns the details of one signal with its points and the values of its columns. They are cached, because many datasets share them. */
const signalDetail = memoise(
  (
    signal: SignalResult,
    question: string | null,
    version: PublicVersion,
    points: string,
    values: Readonly<Record<string, Stated>>,
  ) => {
    const { id, name, state, field, evidence, advice, adviceFor, effort } = signal;
    const { look, sign, word, meaning } = STATE_WORDS[state];
    const job = jobText(adviceFor, effort);
    return html`<details id="${id}"><summary><span class="pts">${points}</span><span class="state ${look}">${sign} ${t(word)}</span><span class="muted">${id}</span> <span class="name">${t(name)}</span></summary>
${question === null || (advice !== null && state === "absent") ? null : html`<p>${t(question)}</p>`}${state === "absent" ? null : html`<p>${t(meaning)}</p>`}
${advice === null ? null : html`<p><strong>${look === "none" ? t("Advice:") : t("How to pass:")}</strong> <span data-advice>${adviceText(advice)}</span>${state === "absent" ? null : html` <span class="muted">${job}</span>`}</p>`}
<dl class="small">${Object.entries(evidence).map(
      ([column, value]) =>
        html`<div><dt>${t(FACTS.get(column) ?? column)}</dt> <dd dir="auto">${valueText(value)}${statedValues(column, values[column])}</dd></div>`,
    )}${field === null ? null : html`<div><dt>read from</dt> <dd><code>${field}</code></dd></div>`}<div><dt>Rule</dt> <dd><a href="${underVersion(`/signals/${id}`, version)}">About this signal</a></dd></div></dl></details>`;
  },
);

/**
 * Returns advice in the language of the page. Advice for an unknown signal consists of a reason and the question of the
 * signal. Other advice can end with names of people, works or files, which are not translated.
 */
function adviceText(advice: string): string {
  return withoutRemark(translatedAdvice(advice));
}

function translatedAdvice(advice: string): string {
  if (language() === "en") return advice;
  const [reason, clause] = splitAt(advice, NOT_JUDGED);
  if (clause !== null) return t`${t(reason)}, so this could not be judged: ${t(capitalised(clause))}`;
  const [words, without] = splitAt(advice, ` ${NAMING.withoutOne}: `);
  if (without !== null) return `${t(words)} ${t`Without one: ${namesText(without)}.`}`;
  const [sentence, notYet] = splitAt(advice, ` ${NAMING.notYet}: `);
  return notYet === null ? t(advice) : `${t(sentence)} ${t`Not yet: ${namesText(notYet)}.`}`;
}

/** Returns the names at the end of advice in the language of the page, for example `Doe, J. and 3 more`. */
function namesText(text: string): string {
  const names = text.slice(0, -1);
  const at = names.lastIndexOf(" and ");
  const [, more] = /^ and (\d+) more$/.exec(names.slice(at)) ?? [];
  return more === undefined ? names : t`${names.slice(0, at)} and ${more} more`;
}

function splitAt(text: string, mark: string): readonly [before: string, after: string | null] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + mark.length)];
}

/** Returns the values that are shown after the number of values: first those that count, then those that do not. */
function statedValues(column: string, stated: Stated | undefined): Html | null {
  if (stated === undefined) return null;
  const { counted, missing } = stated;
  const list = (values: readonly string[]) =>
    values.map((value, i) => [i === 0 ? "" : sign(", "), statedValue(column, value)]);
  return html`${counted.length === 0 ? null : html`: ${list(counted)}`}${missing.length === 0 ? null : html`; not counted: ${list(missing)}`}`;
}

/** The columns of evidence whose values can filter the list of datasets, each with the name of the filter. */
const FILTERS: Readonly<Record<string, string>> = { funder_count: "funder", award_count: "award" };

function statedValue(column: string, value: string): Html {
  const filter = FILTERS[column];
  const isCut = value.endsWith("…");
  if (filter !== undefined && !isCut)
    return html`<a href="${addQuery("/datasets", { [filter]: value })}"><bdi>${value}</bdi></a>`;
  const href = /^10\.\d{4,9}\/\S+$/.test(value) ? doiAddress(value) : /^https?:\/\/\S+$/i.test(value) ? value : null;
  return href === null || isCut
    ? html`<bdi>${value}</bdi>`
    : html`<a href="${href}" rel="external nofollow"><bdi>${value}</bdi></a>`;
}

function pointsText({ state, points }: SignalResult, cap: number): string {
  if (state === "unsupported") return t`the highest score is ${cap}`;
  if (state === "absent") return t`+${POINTS_PER_SIGNAL} points`;
  return state === "passed" ? t`${points} of ${4}` : "";
}

export function valueText(value: SignalResult["evidence"][string]): string {
  if (value === null) return t(UNKNOWN);
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  return value === "" ? t("none recognised") : String(value);
}

/** A next step: one edit, and the points that it adds. */
export interface NextStep {
  /** The points that the edit adds; null if it is not known whether the dataset lacks them. */
  readonly points: number | null;
  readonly adviceFor: AdviceFor | null;
  readonly effort: Effort | null;
  readonly signals: readonly { readonly id: string; readonly name: string }[];
  readonly advice: readonly string[];
}

/** The parts of a draft that make signals known, by signal. */
const DRAFT_PARTS: Readonly<Record<string, string>> = {
  A4: english("the access level"),
  A5: english("the access level"),
  R1: english("the names of the files"),
  R2: english("the names of the files"),
  R3: english("the names of the files"),
  R4: english("the names of the files"),
  R5: english("the names of the files"),
  E1: english("the creators"),
  E2: english("the creators"),
};

/** Number of next steps that are shown at once; the others are folded. */
const FIRST = 3;

/** A value that occurs elsewhere in the record, with the field into which somebody can paste it to pass the signal. */
interface ReadyValue {
  readonly signal: string;
  readonly field: string;
  readonly value: string;
  readonly foundIn: string;
}

/** A next step with the values that the record already has in another place. */
interface ReadyStep extends NextStep {
  readonly ready: readonly ReadyValue[];
}

/**
 * Returns the next steps. The most valuable steps are shown, and the others are folded. No points are promised for a
 * signal that is not known, but a draft can still make it known, so the list of a draft begins with these signals. Returns
 * null if there is no score and no known step.
 */
export function nextSteps(
  stated: readonly NextStep[],
  record: Pick<RecordDetail, "repository" | "score" | "cap" | "signals" | "values">,
  isDraft = false,
): Html | null {
  const { repository, score, cap, signals } = record;
  // Without a score, the unknown signals are explained above the steps.
  const shown = stated.filter(({ points }) => points !== null || score !== null);
  const steps = shown.map((step) => ({ ...step, ready: readyValues(step, record) }));
  if (steps.length === 0 && score === null) return null;
  if (steps.length === 0)
    return signals.every(({ state }) => state === "passed")
      ? html`<p>Nothing left to do: all 25 signals passed.</p>`
      : html`<p>The dataset has everything that the source of its metadata has a field for.</p>`;
  const known = steps.filter(({ points }) => points !== null).toSorted(byValue);
  // Without a score, a passed signal adds no points yet.
  if (score === null) {
    return html`<ol class="steps">${known.map((step) => one(step, false, false))}</ol>`;
  }
  const unknown = steps.filter(({ points }) => points === null);
  const unknownSignals = unknown.reduce((sum, { signals }) => sum + signals.length, 0);
  const [first, rest] = [known.slice(0, FIRST), known.slice(FIRST)];
  const all = known.reduce((sum, { points }) => sum + (points ?? 0), 0);
  const totals = known.map(
    (_, i) => score.total + known.slice(0, i + 1).reduce((sum, { points }) => sum + (points ?? 0), 0),
  );
  const missing = [
    ...new Set(unknown.flatMap((step) => step.signals.map(({ id, name }) => t(DRAFT_PARTS[id] ?? name)))),
  ];
  return html`${repository === null ? null : repositoryNote(steps, repository)}${
    isDraft && unknownSignals > 0
      ? html`<p><strong>${t`Up to +${POINTS_PER_SIGNAL * unknownSignals} points:`}</strong> ${t`fill in ${missing.join(sign(", "))}`}</p>`
      : null
  }${
    first.length === 0
      ? html`<p>We know of no missing item.</p>`
      : html`<ol class="${known.length === 1 ? "steps" : "steps first"}">${first.map((step, i) => one(step, i > 0, true))}</ol>`
  }${
    rest.length === 0
      ? null
      : html`<details class="by"><summary>${plural(rest.length, "One further step: all steps together give up to {1} points", "{0} further steps: all steps together give up to {1} points", all)}</summary>${stepGroups(rest)}</details>`
  }${totals.length < 2 ? null : html`<p>In this order, the score would be ${totals.join(sign(", "))} of ${cap}.</p>`}${
    unknown.length === 0
      ? null
      : html`<details class="by"><summary>${plural(unknownSignals, "One signal is not known: it gives no points until it is known", "{0} signals are not known: they give no points until they are known")}</summary>${stepGroups(unknown)}</details>`
  }`;
}

function readyValues({ signals }: NextStep, record: Pick<RecordDetail, "signals" | "values">): ReadyValue[] {
  const found = signals.flatMap(({ id, name }) => {
    const { field = null, evidence = {} } = record.signals.find((signal) => signal.id === id) ?? {};
    const columns = Object.keys(evidence) as EvidenceName[];
    const elsewhere = columns.flatMap((column) => record.values?.[column]?.elsewhere ?? []);
    return field === null ? [] : elsewhere.map((each) => ({ signal: t(name), field, ...each }));
  });
  // Several signals of a step can ask for the same value.
  return [...new Map(found.map((each) => [each.value, each])).values()];
}

/** Returns a note on how to ask the repository, if every step is for the repository or its data centre; otherwise null. */
function repositoryNote(steps: readonly NextStep[], repository: string): Html | null {
  if (steps.some(({ adviceFor }) => adviceFor === null || adviceFor === "depositor")) return null;
  return html`<p>Only the repository can change this. Ask <bdi>${repository}</bdi> to follow the advice, and send it the link to this page.</p>`;
}

/** Compares two steps: the depositor's steps come first, then those with more points, then those with less effort. */
function byValue(one: NextStep, other: NextStep): number {
  const isOther = ({ adviceFor }: NextStep) => Number(adviceFor !== "depositor");
  return isOther(one) - isOther(other) || (other.points ?? 0) - (one.points ?? 0) || rank(one) - rank(other);
}

/** Groups steps by person and effort. The depositor's steps with the least effort come first. */
function stepGroups(steps: readonly ReadyStep[]): Html[] {
  const groups = [...Map.groupBy(steps, ({ adviceFor, effort }) => JSON.stringify([adviceFor, effort])).values()];
  return groups
    .toSorted(([one], [other]) => rank(one) - rank(other))
    .map((group) => {
      const points = group.reduce((sum, step) => sum + (step.points ?? 0), 0);
      return html`<h3 class="by">${groupHeading(group[0])}${points === 0 ? null : html` <span class="muted">· up to ${points} points</span>`}</h3><ol class="steps">${group
        .toSorted((one, other) => (other.points ?? 0) - (one.points ?? 0))
        .map((step) => one(step, false, true))}</ol>`;
    });
}

/** Returns the heading of a group of steps: the person who can do them, and their effort. */
function groupHeading(step: Pick<NextStep, "adviceFor" | "effort"> | undefined): string {
  const { adviceFor = null, effort = null } = step ?? {};
  const words = jobText(adviceFor, effort);
  return words === "" ? t("For the repository to do") : words;
}

/** Returns the person and the effort as a text, without what is not known. */
function jobText(adviceFor: AdviceFor | null, effort: Effort | null): string {
  const job = [adviceFor === null ? null : JOB_WORDS[adviceFor], effort === null ? null : EFFORT_WORDS[effort]];
  return job.flatMap((text) => (text === null ? [] : t(text))).join(sign(": "));
}

/** Returns a step as a row. On phones, its advice can be folded. Without a score, it promises no points. */
const one = memoise((step: ReadyStep, isFolded: boolean, hasScore: boolean): Html => {
  const { points, signals, advice, adviceFor, effort, ready } = step;
  const gain = points === null ? "?" : html`+${points}<small>points</small>`;
  const job = groupHeading({ adviceFor, effort });
  const how = html`${advice.map((text) => html`<p>${adviceText(text)}</p>`)}${ready.map(readyToPaste)}<p class="muted small">${job}</p>`;
  return html`<li><b>${hasScore ? gain : html`${signals.length}<small>${plural(signals.length, "signal", "signals")}</small>`}</b><div><p class="what">${signals.map(
    ({ id, name }, i) => html`${i === 0 ? "" : sign(", ")}<a href="#${id}">${t(name)}</a>`,
  )}</p>${isFolded ? html`<details class="narrow"><summary>Show how</summary>${how}</details>` : html`<div>${how}</div>`}</div></li>\n`;
});

function readyToPaste({ signal, field, value, foundIn }: ReadyValue): Html {
  return html`<p><strong>Ready to paste:</strong> the record has this value in <code>${foundIn}</code>. It counts in <code>${field}</code>.</p>${snippet(`${signal}: ${value}`, value)}`;
}

function rank(step: NextStep | undefined): number {
  const { adviceFor = null, effort = null } = step ?? {};
  return (adviceFor === "depositor" ? 0 : 10) + EFFORT_ORDER.indexOf(effort);
}

/** Largest number of equal signals that a sentence names. */
const MAX_NAMED = 3;

/** Returns the names of equal signals in English, such as `A, B and C`; only their number if there are many. */
export function listEqualSignals(names: readonly string[]): string {
  return names.length > MAX_NAMED ? `${names.length} signals` : new Intl.ListFormat("en-GB").format(names);
}
