/** The spread of scores as columns, that of the release before as steps over them; the table below has the figures. */

import { SCORE_RANGES } from "../../schemas/public/api/common.ts";
import { type Html, html } from "../html.ts";
import { colourKey } from "./bars.ts";
import { percent, whole } from "./figures.ts";
import { numbers, table } from "./table.ts";

const STEP = 60;
const WIDTH = SCORE_RANGES.length * STEP;
const HEIGHT = 150;
/** Room for the count above the highest column. */
const TOP = 20;
const BASE = TOP + HEIGHT;

/** Records by range of the score. */
type Spread = Readonly<Record<string, number>>;

/** Columns are shares of all records, since two releases have different numbers of them. */
export function histogram(caption: string, spread: Spread, earlier: Spread | null = null): Html {
  const [counts, before] = [countsOf(spread), earlier === null ? null : countsOf(earlier)];
  const [shares, then] = [sharesOf(counts), before === null ? null : sharesOf(before)];
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
        ["before", "the release before"],
      ])
}<details><summary>${caption}, as a table</summary>${table(
    caption,
    ["Score", numbers("Datasets"), numbers("Share"), ...(before === null ? [] : [numbers("Before")])],
    SCORE_RANGES.map((range, i) => [
      range,
      whole(counts[i] ?? 0),
      percent(counts[i] ?? 0, sumOf(counts)),
      ...(before === null ? [] : [percent(before[i] ?? 0, sumOf(before))]),
    ]),
  )}</details>`;
}

function countsOf(spread: Spread): number[] {
  return SCORE_RANGES.map((range) => spread[range] ?? 0);
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function sharesOf(counts: readonly number[]): number[] {
  const sum = sumOf(counts);
  return counts.map((count) => (sum === 0 ? 0 : count / sum));
}

/** `clear`: the higher of the column and the step over it, above which the count stands. */
function column(i: number, count: number, top: number, clear: number): Html {
  const x = i * STEP;
  const middle = x + STEP / 2;
  return html`<rect class="fill" x="${x + 3}" y="${top}" width="${STEP - 6}" height="${BASE - top}"/><text class="said" x="${middle}" y="${clear - 5}" text-anchor="middle">${whole(count)}</text><text x="${middle}" y="${BASE + 20}" text-anchor="middle">${rangeOf(SCORE_RANGES[i] ?? "")}</text>`;
}

/** One step a column, so that it is clear which column each belongs to. */
function steps(tops: readonly number[]): string {
  return tops.map((top, i) => `${i === 0 ? "M" : "L"}${i * STEP} ${top}H${(i + 1) * STEP}`).join("");
}

/** On a phone the least score of a range names it: there is no room for the greatest. */
function rangeOf(label: string): Html {
  const [least = "", most] = label.split("-");
  return html`${least}${most === undefined ? null : html`<tspan class="upto">–${most}</tspan>`}`;
}
