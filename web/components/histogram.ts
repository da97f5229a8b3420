/** A histogram of scores, with a line for the previous release and a table of the figures. */

import { ATTAINABLE_TOTALS, SCORE_RANGES } from "../../schemas/public/signal.ts";
import { type Html, html } from "../html.ts";
import { colourKey } from "./bars.ts";
import { integer, percent } from "./figures.ts";
import { numberColumn, table } from "./table.ts";

const STEP = 60;
const WIDTH = SCORE_RANGES.length * STEP;
const HEIGHT = 150;
/** The space, in pixels, for the count above the highest column. */
const TOP = 20;
const BASE = TOP + HEIGHT;

/** Numbers of records by score range. */
type Spread = Readonly<Record<string, number>>;

/** Returns a histogram of shares instead of counts, because two releases have different numbers of records. */
export function histogram(caption: string, spread: Spread, earlier: Spread | null = null): Html {
  const [counts, before] = [listCounts(spread), earlier === null ? null : listCounts(earlier)];
  const [shares, then] = [computeShares(counts), before === null ? null : computeShares(before)];
  const most = Math.max(...shares, ...(then ?? []), 0.01);
  const y = (share: number) => Math.round(BASE - (HEIGHT * share) / most);
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${BASE + 32}" aria-hidden="true" focusable="false">${counts.map(
    (count, i) => column(i, count, y(shares[i] ?? 0), y(Math.max(shares[i] ?? 0, then?.[i] ?? 0))),
  )}<path class="axis" d="M0 ${BASE + 0.5}H${WIDTH}"/>${then === null ? null : html`<path class="before" d="${steps(then.map(y))}"/>`}</svg>
${
  before === null
    ? null
    : colourKey([
        ["now", "this release"],
        ["before", "previous release"],
      ])
}<details><summary>${caption}, as a table</summary>${table(
    caption,
    ["Score", numberColumn("Datasets"), numberColumn("Share"), ...(before === null ? [] : [numberColumn("Before")])],
    SCORE_RANGES.map((range, i) => [
      range,
      integer(counts[i] ?? 0),
      percent(counts[i] ?? 0, sumCounts(counts)),
      ...(before === null ? [] : [percent(before[i] ?? 0, sumCounts(before))]),
    ]),
  )}</details>`;
}

/** The lowest and the highest total that the user chose; null without a bound. */
export interface ChosenScores {
  readonly least: number | null;
  readonly most: number | null;
}

/** Returns a small histogram of totals, beside a text that states its result. Totals that the user did not choose are pale. */
export function scoreSpread(totals: Readonly<Record<string, number>>, { least, most }: ChosenScores): Html {
  const counts = ATTAINABLE_TOTALS.map((total) => ({ total: Number(total), count: totals[total] ?? 0 }));
  const highest = Math.max(1, ...counts.map(({ count }) => count));
  const isChosen = (total: number) => total >= (least ?? 0) && total <= (most ?? 100);
  const columns = (some: typeof counts) =>
    some
      .filter(({ count }) => count > 0)
      .map(({ total, count }) => {
        const height = Math.max(1, Math.round((100 * count) / highest));
        return `M${total} ${100 - height}h3.4V100h-3.4z`;
      })
      .join("");
  return html`<svg class="spread" viewBox="0 0 104 100" preserveAspectRatio="none" aria-hidden="true" focusable="false"><path class="fill" d="${columns(counts.filter(({ total }) => isChosen(total)))}"/><path class="pale" d="${columns(counts.filter(({ total }) => !isChosen(total)))}"/><path class="axis" d="M0 100H104"/></svg>
<p class="scale small muted" aria-hidden="true"><span>0</span><span>50</span><span>100 points</span></p>`;
}

function listCounts(spread: Spread): number[] {
  return SCORE_RANGES.map((range) => spread[range] ?? 0);
}

function sumCounts(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function computeShares(counts: readonly number[]): number[] {
  const sum = sumCounts(counts);
  return counts.map((count) => (sum === 0 ? 0 : count / sum));
}

/**
 * Returns a column of the histogram, with its count above it. The count is above `clear`, which is the upper end of the
 * column or of the line for the previous release, whichever is higher.
 */
function column(i: number, count: number, top: number, clear: number): Html {
  const x = i * STEP;
  const middle = x + STEP / 2;
  return html`<rect class="fill" x="${x + 3}" y="${top}" width="${STEP - 6}" height="${BASE - top}"/><text class="said" x="${middle}" y="${clear - 5}" text-anchor="middle">${integer(count)}</text><text x="${middle}" y="${BASE + 20}" text-anchor="middle">${renderRange(SCORE_RANGES[i] ?? "")}</text>`;
}

/** Returns the path of a line with one step for each column, for the previous release. */
function steps(tops: readonly number[]): string {
  return tops.map((top, i) => `${i === 0 ? "M" : "L"}${i * STEP} ${top}H${(i + 1) * STEP}`).join("");
}

/** Returns the label of a score range. On a phone only its lowest score is visible. */
function renderRange(label: string): Html {
  const [least = "", most] = label.split("-");
  return html`${least}${most === undefined ? null : html`<tspan class="upto">–${most}</tspan>`}`;
}
