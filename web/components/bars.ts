/** Bars that show figures. A bar repeats a figure in the text beside it, so screen readers skip the bar. */

import { datasetTier, type Tier } from "../../api-static/pages/numbers.ts";
import { BUCKETS, type BucketId, POINTS_PER_SIGNAL } from "../../schemas/public/signal.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import { t } from "../languages/translate.ts";
import { averageText, integer, percent, tenths } from "./figures.ts";
import { BUCKET_NAMES } from "./state-words.ts";

/** Returns an SVG with a view box of 100 by 10 that fills the available width. */
function drawing(content: HtmlPart): Html {
  return html`<svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">${content}</svg>`;
}

const TRACK = html`<rect class="back" y="2" width="100" height="6" rx="1"/>`;

function computePosition(value: number, most: number): number {
  return most === 0 ? 0 : Math.round((1000 * value) / most) / 10;
}

interface MeterOptions {
  /** The value at which the bar has its full width. */
  readonly most: number;
  /** The possible points, which a line marks on the bar. */
  readonly cap?: number | null;
  /** The score if all unknown signals passed. The bar continues to it in a pale colour. */
  readonly upTo?: number | null;
  /** The average of other datasets, which a dot marks. */
  readonly average?: number | null;
  /** The tier that decides the colour of the bar; null if too few signals were judged for a tier. */
  readonly tier?: Tier | null;
}

/** Returns a bar for a score or another value; an empty bar for null. */
export function meter(
  value: number | null,
  { most, cap = null, upTo = value, average = null, tier = null }: MeterOptions,
): Html {
  const colour = tier === null ? "" : ` ${tier.name}`;
  const pale = value === null || upTo === null || upTo <= value ? null : upTo;
  return drawing([
    TRACK,
    pale === null
      ? null
      : html`<rect class="pale${colour}" y="2" width="${computePosition(pale, most)}" height="6" rx="1"/>`,
    value === null
      ? null
      : html`<rect class="fill${colour}" y="2" width="${computePosition(value, most)}" height="6" rx="1"/>`,
    cap === null ? null : html`<path class="cap" d="M${computePosition(Math.min(cap, most), most)} 0V10"/>`,
    average === null
      ? null
      : html`<path class="dot halo" d="M${computePosition(average, most)} 5h.01"/><path class="dot mean" d="M${computePosition(average, most)} 5h.01"/>`,
  ]);
}

/** Returns an average score, or the average points of a bucket, as a bar with a line at the average of the possible points. */
export function averageMeter(mean: number | null, cap: number | null, most = 100): Html {
  return meter(mean, { most, cap, tier: mean === null || cap === 0 ? null : datasetTier(mean, cap) });
}

/** Returns a bar of several parts side by side, each in the colour of its kind. `all` is the value of the full width. */
export function stackedBar(parts: readonly { readonly kind: string; readonly value: number }[], all: number): Html {
  let x = 0;
  const drawn = parts.map(({ kind, value }) => {
    const left = computePosition(x, all);
    x += value;
    return value === 0
      ? null
      : html`<rect class="part ${kind}" x="${left}" y="2" width="${computePosition(value, all)}" height="6"/>`;
  });
  return drawing([TRACK, drawn]);
}

/** Returns a bar with losses left and gains right of the middle. `most` is the value of one half. */
export function divergingBar(lost: number, gained: number, most: number): Html {
  const [left, right] = [computePosition(lost, 2 * most), computePosition(gained, 2 * most)];
  return drawing(
    html`<rect class="part lost" x="${50 - left}" y="2" width="${left}" height="6"/><rect class="part gained" x="50" y="2" width="${right}" height="6"/><path class="axis" d="M50 0V10"/>`,
  );
}

/** Returns a change on a scale from 0 to `most`: a hollow dot before, a full dot after, and a line between them. */
export function dumbbell(before: number | null, after: number | null, most: number): Html {
  // A line without length and with round ends is a circle at every width of the SVG.
  const dot = (value: number | null, kind: string) =>
    value === null ? null : html`<path class="${kind}" d="M${computePosition(value, most)} 5h.01"/>`;
  return drawing([
    html`<path class="axis" d="M0 5H100"/>`,
    before === null || after === null
      ? null
      : html`<path class="way" d="M${computePosition(before, most)} 5H${computePosition(after, most)}"/>`,
    dot(before, "dot before"),
    dot(before, "dot hole"),
    dot(after, "dot"),
  ]);
}

/** Returns the key of a chart, which explains each colour. */
export function colourKey(kinds: readonly (readonly [kind: string, words: string])[]): Html {
  return html`<ul class="key">${kinds.map(([kind, words]) => html`<li><i class="swatch ${kind}"></i>${words}</li>`)}</ul>`;
}

/** The points of a bucket now, its points if its unknown signals passed, and its possible points. */
export interface BucketPoints {
  readonly points: number;
  readonly most: number;
  readonly cap: number;
}

/** The average points of each bucket, and the averages of its possible points. */
export type BucketAverages = Readonly<Record<BucketId, { readonly mean: number | null; readonly cap: number | null }>>;

/** Returns the average points of the five buckets as bars whose full width is twenty points. */
export function bucketBars(buckets: BucketAverages): Html {
  return html`<ul class="buckets">${BUCKETS.map((bucket) => {
    const { mean, cap } = buckets[bucket];
    return html`<li><span>${t(BUCKET_NAMES[bucket])}</span>${averageMeter(mean, cap, 20)}<span class="num">${averageText(mean, cap)}</span></li>`;
  })}</ul>`;
}

export function bucketBar({ points, most, cap }: BucketPoints): Html {
  const tier = cap === 0 || most > points ? null : datasetTier(points, cap);
  return meter(points, { most: 20, cap, upTo: most, tier });
}

/** Returns the points of a bucket beside the possible points: `8 of 12`, or `8 to 12 of 16` if some signals are unknown. */
export function pointsOfCap({ points, most, cap }: BucketPoints): string {
  if (cap === 0) return t("not possible");
  return most > points ? t`${points} to ${most} of ${cap}` : t`${points} of ${cap}`;
}

/**
 * Numbers of datasets for one signal and repository: with a score (`scored`), with a source that supports the signal,
 * with a known result of the signal (`judged`), and with a pass.
 */
export interface Prevalence {
  readonly signal: string;
  readonly repository: string;
  readonly scored: number;
  readonly supported: number;
  readonly judged: number;
  readonly passed: number;
}

/**
 * The number of datasets with a score, their points together, and the points that are possible for them. They are divided only
 * when they are shown, so that a share is rounded once.
 */
export interface PointSums {
  readonly scored: number;
  readonly points: number;
  readonly possible: number;
}

/** Adds up one of the counts of several signals or repositories. */
export function sumCounts(
  prevalence: readonly Prevalence[],
  count: "scored" | "supported" | "judged" | "passed",
): number {
  return prevalence.reduce((total, each) => total + each[count], 0);
}

/** Adds up the points and the possible points of some or all signals in the same datasets. */
export function sumPoints(prevalence: readonly Prevalence[]): PointSums {
  return {
    scored: prevalence[0]?.scored ?? 0,
    points: POINTS_PER_SIGNAL * sumCounts(prevalence, "passed"),
    possible: POINTS_PER_SIGNAL * sumCounts(prevalence, "supported"),
  };
}

const Z = 1.96;

/** Returns the 95 % interval of a share in percent by Wilson's method (1927), which is valid for small numbers too. */
export function computeInterval(passed: number, judged: number): readonly [number, number] {
  const [share, square] = [passed / judged, Z * Z];
  const middle = (share + square / (2 * judged)) / (1 + square / judged);
  const half = (Z * Math.sqrt((share * (1 - share)) / judged + square / (4 * judged * judged))) / (1 + square / judged);
  const rounded = (value: number) => Math.round(1000 * Math.min(1, Math.max(0, value))) / 10;
  return [rounded(middle - half), rounded(middle + half)];
}

export function prevalenceText({ judged, passed }: Pick<Prevalence, "judged" | "passed">): Html | string {
  if (judged === 0) return t("not judged");
  const [least, most] = computeInterval(passed, judged);
  return html`${percent(passed, judged)} <span class="muted small">(${tenths(least)}–${tenths(most)} %) of ${integer(judged)}</span>`;
}

/** Returns the share of judged datasets that pass as a bar with its confidence interval; null if none was judged. */
export function prevalenceBar({ judged, passed }: Pick<Prevalence, "judged" | "passed">): Html | null {
  return judged === 0 ? null : intervalBar((100 * passed) / judged, ...computeInterval(passed, judged));
}

/** Returns a share in percent as a bar. A line across its end shows the confidence interval from `least` to `most`. */
export function intervalBar(share: number, least: number, most: number): Html {
  return drawing(
    html`${TRACK}<rect class="fill" y="2" width="${computePosition(share, 100)}" height="6" rx="1"/><path class="reach" d="M${least} 5H${most}M${least} 2V8M${most} 2V8"/>`,
  );
}
