/** Shows the score of one dataset: points and possible points, tier, bars with ticks, and its 25 signals by bucket. */

import { DATASET_TIERS, datasetTier, type Tier } from "../../api-static/pages/numbers.ts";
import type { RecordDetail, RecordRow } from "../../schemas/public/api/record.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { POINTS_PER_SIGNAL, popcount, type SignalState } from "../../schemas/public/signal.ts";
import { type Html, html } from "../html.ts";
import { sign, t } from "../languages/translate.ts";
import { meter, stackedBar } from "./bars.ts";
import type { BucketSums } from "./bucket-profile.ts";
import type { Totals } from "./distribution.ts";
import { hundredths, percent, plural } from "./figures.ts";
import { signalGrid } from "./signals.ts";
import { explain } from "./terms.ts";

/**
 * With fewer judged signals than this, a score has no tier, because a few passed signals would already be "excellent":
 * five of them have 20 of 20 possible points.
 */
const MIN_JUDGED = 12;

type Scored = Pick<RecordRow, "score" | "cap" | "range">;

/** Returns the tier of a score; null without a score, or with too few judged signals. */
export function findTier({ score, cap, range }: Scored): Tier | null {
  const unknown = range === null ? 0 : range.most - range.least;
  const isJudged = (cap ?? 100) - unknown >= MIN_JUDGED * POINTS_PER_SIGNAL;
  return score !== null && isJudged ? datasetTier(score.total, cap) : null;
}

/** Returns the word for a score's tier, in the colour that badges use for it. */
export function tierMark(scored: Scored): Html | null {
  const tier = findTier(scored);
  return tier === null ? null : html`<span class="band ${tier.name}">${t(tier.name)}</span>`;
}

/** Returns the cell of a table with the word for the tier, or why there is none, and the share of the possible points. */
export function shareCell(scored: Scored): Html | null {
  if (scored.score === null) return null;
  const { score, cap } = scored;
  const most = cap ?? 100;
  const word = tierMark(scored) ?? html`<span class="band few">${t("few signals")}</span>`;
  return html`${word} <data class="muted" value="${score.total / most}">${percent(score.total, most)}</data>`;
}

/** Returns the word for the tier of a range of scores; null if the range reaches from one tier into another. */
function rangeMark(record: RecordDetail): Html | null {
  const { cap, range } = record;
  const isOneTier = range === null || datasetTier(range.least, cap) === datasetTier(range.most, cap);
  return isOneTier ? tierMark(record) : null;
}

/** The tiers in words, best first: `excellent from 80 %, good from 60 %, …`. */
const tierWords = () =>
  DATASET_TIERS.map(({ name, from }) => (from === 0 ? t`below that ${t(name)}` : t`${t(name)} from ${from} %`));

/** The scores of the other datasets in the repository, as the release publishes them. */
export interface RepositoryStanding {
  readonly repository: string;
  readonly scored: number;
  /** Numbers of scored datasets by total. */
  readonly totals: Totals;
  readonly buckets: BucketSums;
  readonly mean: number;
}

interface ScoreDisplayOptions {
  readonly version: PublicVersion;
  /** Name of the source of the metadata. The source decides how many points are possible. */
  readonly source: string;
  /** True if the score was computed for this request. Then a range is shown instead of one total. */
  readonly isLive: boolean;
  /** The buttons below the score, with which a user can check, save or compare the dataset. */
  readonly actions?: Html;
  /** The comparison with the repository. Null if the score is not from a release, or the repository has few datasets. */
  readonly standing: { readonly finding: string; readonly mean: number } | null;
  /** The number of datasets in the release with 100 points, if the dataset is one of them; otherwise null. */
  readonly perfect?: number | null;
  /** The number of judged signals that a score needs; null if it is not known. */
  readonly needed: number | null;
}

/** Returns the points, the bar of the total, and the reasons for the possible points; the reason if there is no score. */
function scoreSummary(record: RecordDetail, options: ScoreDisplayOptions): Html {
  const { version, source, isLive, standing, perfect = null } = options;
  const { score, cap, range, masks } = record;
  if (score === null) return noScore(record, options);
  const { total } = score;
  const isRange = range !== null && range.least < range.most;
  const showsRange = isRange && isLive;
  return html`<div class="score"><div><p><span class="${showsRange ? "big range" : "big"}">${showsRange ? t`${range.least} to ${range.most}` : total}</span> <span class="of">of ${cap} possible points</span>${explain("cap")} ${showsRange ? rangeMark(record) : tierMark(record)}</p>
${meter(total, { most: 100, cap, upTo: range?.most ?? total, average: standing?.mean ?? null, tier: findTier(record) })}
<details class="small muted"><summary>How to read this score</summary><p>Scale from 0 to 100 (SHARE ${version}). The line is the possible score${standing === null ? "" : t("; the dot is the average of the repository")}. The word is the share of the possible points: ${tierWords().join(sign(", "))}. With fewer than ${MIN_JUDGED} judged signals, there is no word.</p></details></div><div>
${perfect === null ? null : html`<p><strong>${plural(perfect, "The only dataset on this site with 100 points", "One of {0} datasets on this site with 100 points")}.</strong></p>`}
${standing === null ? null : html`<p><strong><a href="#standing">${standing.finding}</a>.</strong> The average there is ${hundredths(standing.mean)}.</p>`}
<details class="narrow"><summary>How many points are possible</summary><p>${
    cap < 100
      ? html`<strong>At most ${cap} points</strong> are possible for datasets read through ${source}: it has no field for the other signals, or does not publish them.`
      : html`Datasets read through ${source} can reach all 100 points.`
  }${total === 100 ? null : ` ${judgedText(masks)}`}${isRange ? html` If the unknown signals were known, the score would be ${range.least} to ${range.most}${explain("range")}: the pale part of the bars.` : null}</p></details></div></div>`;
}

/** Explains why a dataset has no score, and what somebody can do. A bar shows the 25 signals by their state. */
function noScore({ scoreStatus, signals, masks }: RecordDetail, { source, isLive, needed }: ScoreDisplayOptions): Html {
  const judged = popcount(masks.evaluableMask);
  const why =
    scoreStatus === "failed"
      ? t`We could not read the metadata that ${source} published.`
      : needed === null
        ? plural(judged, "Only one of the 25 signals could be judged.", "Only {0} of the 25 signals could be judged.")
        : plural(
            judged,
            "One of the 25 signals could be judged; a score needs {1}.",
            "{0} of the 25 signals could be judged; a score needs {1}.",
            needed,
          );
  const count = (state: SignalState) => signals.filter((signal) => signal.state === state).length;
  const reasons = REASONS.flatMap(({ state, words }) =>
    count(state) === 0 ? [] : [html`<li><i class="swatch ${state}"></i>${words(count(state), source)}</li>`],
  );
  const bar = stackedBar(
    SIGNAL_STATES.map((state) => ({ kind: state, value: count(state) })),
    signals.length,
  );
  return html`<div class="score"><div><p><span class="big range">No score</span></p><p><strong>${why}</strong> This says nothing about the dataset.</p>${isLive ? null : html`<p class="small muted" data-server>If the page at the repository shows more, check the dataset again now. If the result is the same, report a problem.</p>`}</div>${scoreStatus === "failed" ? null : html`<div>${bar}<ul class="key">${reasons}</ul></div>`}</div>`;
}

/** The states in the order of the bar: first those of judged signals. */
const SIGNAL_STATES: readonly SignalState[] = [
  "passed",
  "absent",
  "failed",
  "source_missing",
  "not_evaluable",
  "unsupported",
];

/** The states of the signals of a dataset without a score, with the number of these signals and the reason. */
const REASONS: readonly {
  readonly state: SignalState;
  readonly words: (signals: number, source: string) => string;
}[] = [
  { state: "passed", words: (signals) => plural(signals, "{0} passed", "{0} passed") },
  { state: "absent", words: (signals) => plural(signals, "{0} missing", "{0} missing") },
  {
    state: "failed",
    words: (signals) =>
      plural(
        signals,
        "One signal: we could not read the field that it depends on.",
        "{0} signals: we could not read the fields that they depend on.",
      ),
  },
  {
    state: "source_missing",
    words: (signals) =>
      plural(
        signals,
        "One signal: the repository did not publish the field that it depends on.",
        "{0} signals: the repository did not publish the fields that they depend on.",
      ),
  },
  {
    state: "not_evaluable",
    words: (signals) =>
      plural(
        signals,
        "One signal: no person is named among the creators, or the files are hidden.",
        "{0} signals: no person is named among the creators, or the files are hidden.",
      ),
  },
  {
    state: "unsupported",
    words: (signals, source) =>
      plural(
        signals,
        "One signal: {1} has no field for it, or does not publish it.",
        "{0} signals: {1} has no field for them, or does not publish them.",
        source,
      ),
  },
];

function judgedText({ evaluableMask, passedMask }: RecordDetail["masks"]): string {
  return t`${popcount(evaluableMask)} of the 25 signals could be judged: ${popcount(passedMask)} passed.`;
}

/**
 * Returns the score, the next steps, and the signals of each bucket. Without a score, the signals have no grid, because
 * most are not known.
 */
export function scoreSection(record: RecordDetail, options: ScoreDisplayOptions, steps: Html | null): Html {
  return html`${scoreSummary(record, options)}${options.actions ?? null}${steps === null ? null : html`<div class="panel"><h2 id="next">${record.score === null ? t("Signals to pass") : t("Next steps")}</h2>${steps}</div>`}
${record.score === null ? null : signalGrid(record, record.score.total)}`;
}
