/** Writes scores as text: one dataset in detail with 80 columns, or several with one line for each. */

import { datasetTier, scoreOfCap } from "../../api-static/pages/numbers.ts";
import type { ScoredEvaluation } from "../../pipeline/evaluate/evaluation.ts";
import { POLICY } from "../../pipeline/rubrics/contracts.ts";
import type { Improvement } from "../../schemas/public/api/evaluation.ts";
import type { LookedUp } from "../../schemas/public/api/lookup.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { Effort } from "../../schemas/public/form.ts";
import type { Rubric } from "../../schemas/public/rubric.ts";
import { POINTS_PER_SIGNAL, popcount, type SignalState } from "../../schemas/public/signal.ts";
import { type Paint, type Style, shown, textTable, wrapped } from "./text.ts";

interface StateStyle {
  readonly sign: string;
  readonly style: Style;
  readonly meaning: string;
}

const STATE_STYLES: Readonly<Record<SignalState, StateStyle>> = {
  passed: { sign: "■", style: "green", meaning: "passed" },
  absent: { sign: "□", style: "red", meaning: "absent" },
  source_missing: { sign: "?", style: "yellow", meaning: "not in the payload" },
  failed: { sign: "!", style: "yellow", meaning: "unreadable" },
  not_evaluable: { sign: "~", style: "yellow", meaning: "cannot be judged" },
  unsupported: { sign: "·", style: "dim", meaning: "not possible in this source" },
};

const BAR_WIDTH = 25;
const NAME_WIDTH = 33;

export function evaluationText(evaluation: ScoredEvaluation, contract: Rubric, paint: Paint): string {
  const { record } = evaluation;
  if (record === null) return bareText(evaluation);
  const sections = [heading(evaluation, record, paint), totalLines(evaluation, record, paint)];
  if (record.scoreStatus === "failed") sections.push(legend(record).map((text) => paint("dim", `  ${text}`)));
  else sections.push(grid(record, contract, paint), improvementLines(evaluation, paint));
  sections.push(signalLines(record, contract, paint));
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

/** Returns the text for a dataset that has no score, with the reason. */
function bareText({ identifier, outcome, reason }: ScoredEvaluation): string {
  const state = outcome === "tombstone" ? "no longer public" : "not a dataset";
  return wrapped(`${identifier} is ${state}: ${shown(reason ?? "the source states no reason")}`, 80).join("\n");
}

function heading({ identifier, asOf }: ScoredEvaluation, record: RecordDetail, paint: Paint): string[] {
  const facts = [record.repository, record.doi ?? identifier, record.recordKind, `as of ${asOf}`];
  const line = facts.flatMap((fact) => (fact === null ? [] : [shown(fact)])).join(" · ");
  const title = wrapped(shown(record.title ?? "(no title)"), 80);
  return [...title.map((text) => paint("bold", text)), ...wrapped(line, 80).map((text) => paint("dim", text))];
}

function totalLines({ rubric, contract, reason }: ScoredEvaluation, record: RecordDetail, paint: Paint): string[] {
  const version = `SHARE ${rubric} (${contract})`;
  if (record.scoreStatus === "insufficient_evidence") return insufficientLines(record, version);
  if (record.score === null) {
    return [`not scored   ${version}`, ...wrapped(shown(reason ?? "the payload cannot be read"), 80)];
  }
  const { total } = record.score;
  const share = total / record.cap;
  const filled = Math.round(share * BAR_WIDTH);
  const bar = paint(chooseStyle(share), "█".repeat(filled)) + paint("dim", "░".repeat(BAR_WIDTH - filled));
  const figure = paint("bold", `${total} of ${record.cap}`);
  const most =
    record.cap < 100
      ? [paint("dim", `at most ${record.cap} points are possible for records of ${record.source.name}`)]
      : [];
  return [`${figure}  ${bar}  ${datasetTier(total, record.cap).name}   ${paint("dim", version)}`, ...most];
}

/** Returns the text for a record with too little evidence. It contains no number that could be mistaken for a total. */
function insufficientLines({ masks, source }: RecordDetail, version: string): string[] {
  const judged = popcount(masks.evaluableMask);
  const why = `${judged} of 25 signals could be judged, but a total needs at least ${POLICY.leastEvaluable}. Records of ${source.name} can carry ${popcount(masks.supportedMask)} signals.`;
  return [`insufficient evidence   ${version}`, ...wrapped(why, 80)];
}

function chooseStyle(share: number): Style {
  if (share >= 0.6) return "green";
  return share >= 0.4 ? "yellow" : "red";
}

/** Returns the signals as a grid of five buckets with five signals each, and a legend. */
function grid(record: RecordDetail, contract: Rubric, paint: Paint): string[] {
  const rows = contract.buckets.map((bucket) => {
    const signals = record.signals.filter((signal) => signal.bucket === bucket.id);
    const signs = signals.map(({ state }) => paint(STATE_STYLES[state].style, STATE_STYLES[state].sign)).join(" ");
    const sum = record.score === null ? "" : `  ${points(signals)}`;
    return `  ${paint("bold", bucket.id)}  ${bucket.name.padEnd(15)} ${signs}${sum}`;
  });
  return [...rows, "", ...legend(record).map((text) => paint("dim", `  ${text}`))];
}

/** Returns the legend: the meanings of the signs in the grid, three on each line. */
function legend(record: RecordDetail): string[] {
  const present = Object.entries(STATE_STYLES).filter(([state]) =>
    record.signals.some((signal) => signal.state === state),
  );
  const entries = present.map(([, { sign, meaning }]) => `${sign} ${meaning}`.padEnd(24));
  const lines = [entries.slice(0, 3), entries.slice(3)].map((line) => line.join("").trimEnd());
  return lines.filter((line) => line !== "");
}

function points(signals: RecordDetail["signals"]): string {
  const sum = signals.reduce((total, signal) => total + signal.points, 0);
  const possible = signals.filter(({ state }) => state !== "unsupported").length;
  return `${String(sum).padStart(2)} of ${POINTS_PER_SIGNAL * possible}`;
}

function improvementLines({ improvements }: ScoredEvaluation, paint: Paint): string[] {
  const known = improvements.filter(({ points }) => points !== null);
  const unknown = improvements.filter(({ points }) => points === null);
  const parts = [
    { title: "Next steps, those of the depositor first", items: known },
    { title: "Unknown, without effect on the score", items: unknown },
  ];
  return parts
    .filter(({ items }) => items.length > 0)
    .flatMap(({ title, items }, i) => [
      ...(i === 0 ? [] : [""]),
      paint("bold", title),
      ...items.flatMap((each) => ["", ...improvementText(each, paint)]),
    ]);
}

const EFFORTS: Readonly<Record<Effort, string>> = {
  record: "edit the record",
  version: "a new version",
  files: "new files",
};

function improvementText(
  { points: gain, field, signals, advice, adviceFor, effort }: Improvement,
  paint: Paint,
): string[] {
  const [first = "", ...rest] = wrapped(signals.map(({ id, name }) => `${id} ${name}`).join(" · "), 73);
  const job = [
    ...(adviceFor === null ? [] : [`for the ${adviceFor}`]),
    ...(effort === null ? [] : [EFFORTS[effort]]),
    field,
  ].join(" · ");
  const mark = gain === null ? paint("yellow", "?".padStart(5)) : paint("green", `+${gain}`.padStart(5));
  return [
    `${mark}  ${paint("bold", first)}`,
    ...rest.map((text) => `       ${paint("bold", text)}`),
    ...advice.flatMap((text) => wrapped(shown(text), 73)).map((text) => `       ${text}`),
    ...wrapped(job, 73).map((text) => paint("dim", `       ${text}`)),
  ];
}

/**
 * Returns one line for each signal, by bucket. The line below it shows the metadata field that the signal needs;
 * neighbouring signals with the same field share that line.
 */
function signalLines(record: RecordDetail, contract: Rubric, paint: Paint): string[] {
  const lines = [paint("bold", "All signals")];
  for (const bucket of contract.buckets) {
    const signals = record.signals.filter((signal) => signal.bucket === bucket.id);
    const sum = record.score === null ? "" : `  ${paint("dim", points(signals).trimStart())}`;
    lines.push("", `${paint("bold", bucket.name)}${sum}`);
    for (const [i, signal] of signals.entries()) {
      lines.push(...signalLine(signal, paint));
      if (signal.field !== null && signals[i + 1]?.field !== signal.field) {
        lines.push(...wrapped(signal.field, 75).map((text) => paint("dim", `     ${text}`)));
      }
    }
  }
  return lines;
}

function signalLine({ id, name, state, evidence }: RecordDetail["signals"][number], paint: Paint): string[] {
  const { sign, style, meaning } = STATE_STYLES[state];
  const left = `${id} ${paint(style, sign)} ${name.padEnd(NAME_WIDTH)}`;
  const facts = state === "unsupported" ? meaning : Object.entries(evidence).map(evidenceText).join(", ");
  const [first = "", ...rest] = wrapped(facts, 80 - NAME_WIDTH - 5).map((line) => line.replaceAll(NO_BREAK_SPACE, " "));
  return [`${left}${first}`.trimEnd(), ...rest.map((text) => `${" ".repeat(NAME_WIDTH + 5)}${text}`)];
}

/** A space at which lines are never wrapped. */
const NO_BREAK_SPACE = "\u00a0";

/** Returns an evidence column with its value, as text that stays on one line. */
function evidenceText([column, value]: [string, number | boolean | string | null]): string {
  if (value === null) return `${column}${NO_BREAK_SPACE}unknown`;
  if (typeof value !== "string") return `${column}${NO_BREAK_SPACE}${value}`;
  const text = shown(value);
  return `${column}${NO_BREAK_SPACE}"${text.length > 20 ? `${text.slice(0, 19)}…` : text}"`.replaceAll(
    " ",
    NO_BREAK_SPACE,
  );
}

/** How the source of a draft was recognised: by the name of the file or by its format. */
export type Guess = "name" | "format";

export function guessText(guess: Guess): string {
  return `recognised by ${guess === "name" ? "the name of the file" : "its format"}`;
}

/** The result for one of several datasets or drafts that are scored together. */
export interface CheckResult {
  readonly input: string;
  readonly source: string | null;
  /** How the source was recognised; null for an identifier, or if the user chose the source. */
  readonly guess: Guess | null;
  /** The total; null if there is no score. The reason is then in `problem`. */
  readonly total: number | null;
  /** The possible points: the highest total that records of this source can have. */
  readonly cap: number | null;
  readonly passed: boolean;
  readonly problem: string | null;
  readonly improvements: readonly Improvement[];
}

/** Number of improvements that are shown for each file. */
const MAX_IMPROVEMENTS = 3;

export function checkResultsText(checked: readonly CheckResult[], least: number | null): string {
  const lines = checked.flatMap(({ input, total, cap, passed, problem, improvements, ...of }) => [
    `${passed ? "ok " : "low"} ${shown(input)}: ${total === null ? shown(problem ?? "") : `${total} of at most ${cap} as a record of ${sourceText(of)}`}`,
    ...bestImprovements(improvements).map((each) => `      +${each.points} ${each.names}: ${shown(each.advice)}`),
  ]);
  const failed = checked.filter(({ passed }) => !passed).length;
  return [...lines, formatSummary(checked.length, failed, least)].join("\n");
}

export function checkResultsMarkdown(checked: readonly CheckResult[], least: number | null): string {
  const rows = checked.map(({ input, total, cap, passed, problem, improvements, ...of }) =>
    [
      passed ? "✅" : "❌",
      cell(input),
      cell(sourceText(of)),
      total === null ? cell(problem ?? "–") : `**${total}** of at most ${cap}`,
      bestImprovements(improvements)
        .map((each) => cell(`+${each.points} ${each.names}: ${each.advice}`))
        .join("<br>"),
    ].join(" | "),
  );
  const failed = checked.filter(({ passed }) => !passed).length;
  return [
    "### SHARE",
    "",
    "| | dataset | as a record of | score | best improvements |",
    "| --- | --- | --- | --- | --- |",
    ...rows.map((row) => `| ${row} |`),
    "",
    formatSummary(checked.length, failed, least),
    "",
  ].join("\n");
}

function sourceText({ source, guess }: Pick<CheckResult, "source" | "guess">): string {
  return `${source ?? "–"}${guess === null ? "" : ` (${guessText(guess)})`}`;
}

function bestImprovements(improvements: readonly Improvement[]): { points: number; names: string; advice: string }[] {
  return improvements
    .flatMap(({ points, signals, advice, field }) =>
      points === null
        ? []
        : [{ points, names: signals.map(({ id, name }) => `${id} ${name}`).join(", "), advice: advice[0] ?? field }],
    )
    .slice(0, MAX_IMPROVEMENTS);
}

/** Returns a table of published scores, and a summary. If a dataset has no score, its row shows the reason. */
export function lookedUpText(data: readonly LookedUp[], paint: Paint): string {
  const rows = data.map(({ identifier, record, reason, detail }) => [
    shown(identifier),
    record === null ? "" : scoreOfCap(record.score?.total ?? "unknown", record.cap),
    shown(record === null ? (detail ?? String(reason).replace("_", " ")) : (record.repository ?? "")),
  ]);
  const found = data.filter(({ record }) => record !== null).length;
  return [
    ...textTable(["identifier", "score", "repository, or the reason"], rows, paint),
    "",
    `${found} of ${data.length} found`,
  ].join("\n");
}

function formatSummary(all: number, failed: number, least: number | null): string {
  const minimum = least === null ? "" : `, minimum score ${least}`;
  return failed === 0 ? `${all} checked${minimum}` : `${failed} of ${all} failed${minimum}`;
}

/** Escapes a text so that it fits into one cell of a Markdown table. */
function cell(text: string): string {
  return shown(text).replace(/[\\`*_[\]<>|&~]/g, (letter) => `\\${letter}`);
}
