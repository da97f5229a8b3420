/** A histogram of scores, with a line for the previous release and a table of the figures. */

import { ATTAINABLE_TOTALS } from "../../schemas/public/signal.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import { colourKey } from "./bars.ts";
import { countText, integer, percent } from "./figures.ts";
import { numberColumn, table } from "./table.ts";

const WIDTH = 650;
const HEIGHT = 170;
/** The space, in pixels, for the count above the highest column. */
const TOP = 24;
const BASE = TOP + HEIGHT;
const STEP = WIDTH / ATTAINABLE_TOTALS.length;

/**
 * Returns a histogram of the numbers of records with each total. Columns are shares instead of counts, because two releases
 * have different numbers of records; `earlier` has the counts of the previous release.
 */
export function histogram(caption: string, counts: readonly number[], earlier: readonly number[] | null): Html {
  const [shares, before] = [computeShares(counts), earlier === null ? null : computeShares(earlier)];
  const most = Math.max(...shares, ...(before ?? []), 0.01);
  const highest = shares.indexOf(Math.max(...shares));
  const y = (share: number) => Math.round(BASE - (HEIGHT * share) / most);
  const label = (i: number, at: number, kind: string, text: HtmlPart) =>
    html`<text${kind === "" ? null : html` class="${kind}"`} x="${(i + 0.5) * STEP}" y="${at}" text-anchor="middle">${text}</text>`;
  return html`<svg class="chart" viewBox="-14 0 ${WIDTH + 28} ${BASE + 56}" aria-hidden="true" focusable="false">${shares.map(
    (share, i) =>
      html`<rect class="fill" x="${i * STEP + 2}" y="${y(share)}" width="${STEP - 4}" height="${BASE - y(share)}"/>${Number(ATTAINABLE_TOTALS[i]) % 20 === 0 ? label(i, BASE + 22, "", ATTAINABLE_TOTALS[i] ?? "") : null}`,
  )}<path class="axis" d="M0 ${BASE + 0.5}H${WIDTH}"/>${before === null ? null : html`<path class="before" d="${steps(before.map(y))}"/>`}${label(highest, Math.min(y(shares[highest] ?? 0), y(before?.[highest] ?? 0)) - 7, "said", countText(counts[highest] ?? 0, "dataset"))}${label((ATTAINABLE_TOTALS.length - 1) / 2, BASE + 46, "", "score, of 100 points")}</svg>
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
    ATTAINABLE_TOTALS.map((total, i) => [
      total,
      integer(counts[i] ?? 0),
      percent(counts[i] ?? 0, sumCounts(counts)),
      ...(earlier === null ? [] : [percent(earlier[i] ?? 0, sumCounts(earlier))]),
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

function sumCounts(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function computeShares(counts: readonly number[]): number[] {
  const sum = sumCounts(counts);
  return counts.map((count) => (sum === 0 ? 0 : count / sum));
}

/** Returns the path of a line with one step for each column, for the previous release. */
function steps(tops: readonly number[]): string {
  return tops.map((top, i) => `${i === 0 ? "M" : "L"}${i * STEP} ${top}H${(i + 1) * STEP}`).join("");
}
