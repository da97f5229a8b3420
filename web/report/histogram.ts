/** The distribution of scores as columns, the earlier release's as steps over them. */

import { ATTAINABLE_TOTALS, SCORE_RANGES } from "../../schemas/public/api/common.ts";
import { type Html, html } from "../html.ts";
import type { Figures } from "./data.ts";
import { percent, whole } from "./numbers.ts";
import { table } from "./table.ts";

const COLUMN = 56;
const GAP = 8;
const HEIGHT = 190;
const TOP = 22;
const BASE = TOP + HEIGHT;
const WIDTH = SCORE_RANGES.length * (COLUMN + GAP) + GAP;

/** Chart and table. Shares, since the two releases have different numbers of records. */
export function distribution(before: Figures | null, after: Figures, id: string): Html {
  const shares = (figures: Figures | null) =>
    figures === null || figures.scored === 0 ? null : figures.distribution.map((count) => count / figures.scored);
  const now = shares(after) ?? SCORE_RANGES.map(() => 0);
  const then = shares(before);
  const most = Math.max(...now, ...(then ?? []), 0.01);
  const y = (share: number) => BASE - (HEIGHT * share) / most;
  return html`<figure>
<svg class="chart" viewBox="0 0 ${WIDTH} ${BASE + 24}" role="img" aria-labelledby="${id}-title">
<title id="${id}-title">Share of records by total: the columns are this release${then === null ? "" : ", the line the one before"}. The table below has the figures.</title>
<path class="axis" d="M0 ${BASE}H${WIDTH}"/>
${now.map((share, i) => column(i, y(share), y(Math.max(share, then?.[i] ?? 0)), after))}
${then === null ? null : html`<path class="steps" d="${steps(then.map(y))}"/>`}
</svg>
<figcaption>${then === null ? null : html`<span class="key"><i class="swatch now"></i> this release</span> <span class="key"><i class="swatch then"></i> the release before</span>`}</figcaption>
</figure>
<details><summary>The figures</summary>${distributionTable(before, after)}${totalTable(after)}</details>`;
}

/** The label stands above the line as well. */
function column(i: number, top: number, clear: number, { distribution: counts, scored }: Figures): Html {
  const x = GAP + i * (COLUMN + GAP);
  const middle = x + COLUMN / 2;
  const count = counts[i] ?? 0;
  return html`<rect class="now" x="${x}" y="${rounded(top)}" width="${COLUMN}" height="${rounded(BASE - top)}"/>
<text class="value" x="${middle}" y="${rounded(clear - 6)}">${count === 0 ? "" : percent(count, scored)}</text>
<text class="tick" x="${middle}" y="${BASE + 17}">${SCORE_RANGES[i] ?? ""}</text>`;
}

/** One step a column, so that it is seen which column it is to be read against. */
function steps(tops: readonly number[]): string {
  return tops
    .map((top, i) => {
      const x = i * (COLUMN + GAP) + GAP / 2;
      return `${i === 0 ? "M" : "L"}${x} ${rounded(top)}H${x + COLUMN + GAP}`;
    })
    .join("");
}

function rounded(value: number): number {
  return Math.round(10 * value) / 10;
}

/** Totals go in steps of four: a range holds three of them or two, so that columns rise and fall by turns. */
function totalTable({ totals, scored }: Figures): Html | null {
  if (totals === null) return null;
  return table(
    "Records by each total there can be: ranges hold three of them and two by turns",
    ["Total", "Records", "Share"],
    ATTAINABLE_TOTALS.map((total, i) => [total, whole(totals[i] ?? 0), percent(totals[i] ?? 0, scored)]),
  );
}

function distributionTable(before: Figures | null, after: Figures): Html {
  return table(
    "Records by total",
    ["Total", "Records", "Share", "Before"],
    [
      ...SCORE_RANGES.map((range, i) => {
        const count = after.distribution[i] ?? 0;
        const earlier = before === null ? "–" : percent(before.distribution[i] ?? 0, before.scored);
        return [range, whole(count), percent(count, after.scored), earlier];
      }),
    ],
  );
}
