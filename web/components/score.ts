/** Shows the score of one dataset: points and possible points, tier, bars with ticks, and its 25 signals by bucket. */

import { DATASET_TIERS, datasetTier, type Tier } from "../../api-static/pages/numbers.ts";
import type { RecordDetail, RecordRow } from "../../schemas/public/api/record.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { POINTS_PER_SIGNAL } from "../../schemas/public/signal.ts";
import { type Html, html } from "../html.ts";
import { sign, t } from "../languages/translate.ts";
import { meter } from "./bars.ts";
import type { BucketSums } from "./bucket-profile.ts";
import type { Totals } from "./distribution.ts";
import { hundredths } from "./figures.ts";
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
  /** The comparison with the repository. Null if the score is not from a release, or the repository has few datasets. */
  readonly standing: { readonly finding: string; readonly mean: number } | null;
}

/** Returns the points, the bar of the total, and the reasons for the possible points; a note if there is no score. */
function scoreSummary(record: RecordDetail, { version, source, isLive, standing }: ScoreDisplayOptions): Html {
  const { score, scoreStatus, cap, range, masks } = record;
  if (score === null) {
    const why = t(
      scoreStatus === "failed" ? "We could not read the record." : "We could judge too few of the 25 signals.",
    );
    return html`<div class="note"><p><strong>No score.</strong> ${why} This says nothing about the dataset.</p></div>`;
  }
  const { total } = score;
  const isRange = range !== null && range.least < range.most;
  return html`<div class="score"><div><p><span class="big">${isRange && isLive ? t`${range.least} to ${range.most}` : total}</span> <span class="of">of ${cap} possible points</span>${explain("cap")} ${tierMark(record)}</p>
${meter(total, { most: 100, cap, upTo: range?.most ?? total, average: standing?.mean ?? null, tier: findTier(record) })}
<p class="small muted">Scale from 0 to 100 (SHARE ${version}). The line is the possible score${standing === null ? "" : t("; the dot is the average of the repository")}. The word is the share of the possible points: ${tierWords().join(sign(", "))}. With fewer than ${MIN_JUDGED} judged signals, there is no word.</p></div><div>
${standing === null ? null : html`<p><strong><a href="#standing">${standing.finding}</a>.</strong> Their average is ${hundredths(standing.mean)}.</p>`}
<p>${
    cap < 100
      ? html`<strong>At most ${cap} points</strong> are possible for datasets read through ${source}: it has no field for the other signals, or does not publish them.`
      : html`Datasets read through ${source} can reach all 100 points.`
  } ${judgedText(masks)}${isRange ? html` If the unknown signals were known, the score would be ${range.least} to ${range.most}${explain("range")}: the pale part of the bars.` : null}</p></div></div>`;
}

function judgedText({ evaluableMask, passedMask }: RecordDetail["masks"]): string {
  const bits = (mask: number) => mask.toString(2).replaceAll("0", "").length;
  return t`${bits(evaluableMask)} of the 25 signals could be judged: ${bits(passedMask)} passed.`;
}

/** Returns the score with the next steps beside it, and the signals of each bucket below. */
export function scoreSection(record: RecordDetail, options: ScoreDisplayOptions, steps: Html): Html {
  return html`${scoreSummary(record, options)}<div class="panel"><h2 id="next">Next steps</h2>${steps}</div>
${signalGrid(record)}`;
}
