/** Bars in all shapes. Each repeats a figure that stands in text beside it, so that screen readers skip it. */

import { BUCKETS, type BucketId } from "../../schemas/public/signal.ts";
import { type Html, html, type Part } from "../html.ts";
import { decimal, percent, whole } from "./figures.ts";
import { BUCKET_NAMES } from "./words.ts";

/** A drawing of 100 to 10 that is as wide as there is room. */
function drawing(content: Part): Html {
  return html`<svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">${content}</svg>`;
}

const TRACK = html`<rect class="back" y="2" width="100" height="6" rx="1"/>`;

/** Tenths of a percent of the width. */
function at(value: number, most: number): number {
  return most === 0 ? 0 : Math.round((1000 * value) / most) / 10;
}

/** A score as a bar, with a mark at its cap. `cap`: null if it is unknown, or that of the scale. */
export function meter(value: number | null, most: number, cap: number | null = null): Html {
  return drawing([
    TRACK,
    value === null ? null : html`<rect class="fill" y="2" width="${at(value, most)}" height="6" rx="1"/>`,
    cap === null || cap >= most ? null : html`<rect class="cap" x="${at(cap, most)}" width=".8" height="10"/>`,
  ]);
}

/** Parts side by side, each in the colour of its kind; `all` fills the width. */
export function stackedBar(parts: readonly { readonly kind: string; readonly value: number }[], all: number): Html {
  let x = 0;
  const drawn = parts.map(({ kind, value }) => {
    const left = at(x, all);
    x += value;
    return value === 0
      ? null
      : html`<rect class="part ${kind}" x="${left}" y="2" width="${at(value, all)}" height="6"/>`;
  });
  return drawing([TRACK, drawn]);
}

/** Losses to the left of the middle, gains to the right; `most` fills a half. */
export function divergingBar(lost: number, gained: number, most: number): Html {
  const [left, right] = [at(lost, 2 * most), at(gained, 2 * most)];
  return drawing(
    html`<rect class="part lost" x="${50 - left}" y="2" width="${left}" height="6"/><rect class="part gained" x="50" y="2" width="${right}" height="6"/><path class="axis" d="M50 0V10"/>`,
  );
}

/** A movement from one value to another on a scale from 0 to `most`: a hollow dot, a line, a full dot. */
export function dumbbell(before: number | null, after: number | null, most: number): Html {
  // A line of no length with round ends is a circle, however wide the drawing is.
  const dot = (value: number | null, kind: string) =>
    value === null ? null : html`<path class="${kind}" d="M${at(value, most)} 5h.01"/>`;
  return drawing([
    html`<path class="axis" d="M0 5H100"/>`,
    before === null || after === null ? null : html`<path class="way" d="M${at(before, most)} 5H${at(after, most)}"/>`,
    dot(before, "dot before"),
    dot(before, "dot hole"),
    dot(after, "dot"),
  ]);
}

/** The meaning of each colour of a drawing. */
export function colourKey(kinds: readonly (readonly [kind: string, words: string])[]): Html {
  return html`<ul class="key">${kinds.map(([kind, words]) => html`<li><i class="swatch ${kind}"></i>${words}</li>`)}</ul>`;
}

/** The five parts of a score, or of the mean of several, as bars: each of twenty points. `figure` writes the points of a part. */
export function bucketBars(
  points: Readonly<Record<BucketId, number | null>>,
  figure = (value: number | null) => `${value} of 20`,
): Html {
  return html`<ul class="buckets">${BUCKETS.map(
    (bucket) =>
      html`<li><span>${BUCKET_NAMES[bucket]}</span>${meter(points[bucket], 20)}<span class="num">${figure(points[bucket])}</span></li>`,
  )}</ul>`;
}

/** Datasets of which a signal could be judged, and those of them that have it. */
export interface Prevalence {
  readonly signal: string;
  readonly repository: string;
  readonly judged: number;
  readonly passed: number;
}

/** 95 %, two-sided. */
const Z = 1.96;

/** Wilson's interval of a share, in percent (Wilson 1927): it holds for small numbers too. */
export function intervalOf(passed: number, judged: number): readonly [number, number] {
  const [share, square] = [passed / judged, Z * Z];
  const middle = (share + square / (2 * judged)) / (1 + square / judged);
  const half = (Z * Math.sqrt((share * (1 - share)) / judged + square / (4 * judged * judged))) / (1 + square / judged);
  const shown = (value: number) => Math.round(1000 * Math.min(1, Math.max(0, value))) / 10;
  return [shown(middle - half), shown(middle + half)];
}

export function prevalenceText({ judged, passed }: Pick<Prevalence, "judged" | "passed">): Html | string {
  if (judged === 0) return "not judged";
  const [least, most] = intervalOf(passed, judged);
  return html`${percent(passed, judged)} <span class="muted small">(${decimal(least)}–${decimal(most)} %) of ${whole(judged)}</span>`;
}

/** The share as a bar, and across its end the interval. */
export function prevalenceBar({ judged, passed }: Pick<Prevalence, "judged" | "passed">): Html | null {
  if (judged === 0) return null;
  const [least, most] = intervalOf(passed, judged);
  return drawing(
    html`${TRACK}<rect class="fill" y="2" width="${at(passed, judged)}" height="6" rx="1"/><path class="reach" d="M${least} 5H${most}M${least} 2V8M${most} 2V8"/>`,
  );
}
