/** Draws the S-Index as a curve: the scores from the best dataset down, and the line on which score and rank are equal. */

import { POINTS_PER_SIGNAL, popcount } from "../../schemas/public/signal.ts";
import { type Html, html } from "../html.ts";
import { t } from "../languages/translate.ts";
import { COUNT, chart, datum, flags, gridLines, part, xLabel, xName } from "./chart.ts";
import { countText, integer, plural } from "./figures.ts";
import type { SIndexIf } from "./improvements.ts";
import { addQuery, type QueryFields } from "./navigation.ts";

interface Curve {
  /** The totals of the datasets that count, the best first. If there are many, only those that the page shows. */
  readonly totals: readonly number[];
  /** The number of all datasets that count. */
  readonly datasets: number;
  readonly sIndex: number;
  /** The S-Index if all missing signals passed, and the groups of datasets from which it is computed. */
  readonly after: Pick<SIndexIf, "all" | "kinds">;
  /** The filters that select the datasets of the researcher in the list of datasets. */
  readonly query: QueryFields;
}

/** Datasets of the same score. */
interface Group {
  readonly total: number;
  /** The rank of the first dataset of the group, from one. */
  readonly first: number;
  readonly last: number;
}

/** With fewer datasets than this, a curve shows nothing that the list of datasets does not. */
export const MIN_FOR_CURVE = 5;

/** Returns the chart; null if there are too few datasets for a curve. */
export function sIndexCurve({ totals, datasets, sIndex, after, query }: Curve): Html | null {
  if (totals.length < MIN_FOR_CURVE) return null;
  const end = Math.max(totals.length, 10);
  const at = (rank: number) => Math.round((10_000 * rank) / end) / 100;
  const groups = groupTotals(totals);
  const even = Math.min(end, 100);
  const better = after.all > sIndex ? totalsAfter(after.kinds, totals.length) : null;
  const listed = (total: number) =>
    addQuery("/datasets", { ...query, minScore: String(total), maxScore: String(total) });
  return chart({
    id: "curve",
    subject: t("The S-Index"),
    finding: describeIndex(datasets, sIndex),
    basis: `${t("Scores from the best dataset down. The dashed line is where score and rank are equal.")}${datasets > totals.length ? ` ${t`The chart shows the best ${totals.length} of ${datasets}.`}` : ""}${better === null ? "" : ` ${t`The pale curve shows the scores with all missing signals: the index would be ${after.all}.`}`} ${t("Links lead to all versions of the datasets.")}`,
    look: "three",
    drawing: [
      gridLines(0, 100, integer),
      html`<svg width="100%" height="100%" viewBox="0 0 100 100" preserveAspectRatio="none" overflow="visible"><path class="same" d="M0 100L${at(even)} ${100 - even}" vector-effect="non-scaling-stroke"/>${
        better === null
          ? null
          : html`<path class="line better" d="${drawPath(groupTotals(better), at)}" vector-effect="non-scaling-stroke"/>`
      }<path class="line" d="${drawPath(groups, at)}" vector-effect="non-scaling-stroke"/></svg>`,
      groups.map(({ total, first, last }) => {
        const [from, to] = [at(first - 0.5), at(last + 0.5)];
        return datum({
          words: `${countText(total, "point")}: ${first === last ? t`dataset ${first}` : t`datasets ${first} to ${last}`}`,
          href: listed(total),
          at: at((first + last) / 2),
          row: 2,
          hit: html`<rect class="hit" x="${from}%" width="${Math.round(100 * (to - from)) / 100}%" height="100%"/>`,
          mark: html`<circle class="point" cx="${at(first)}%" cy="${part(100 - total, 100)}" r="3.5"/>`,
        });
      }),
      html`<line class="axis" x1="0" x2="100%" y1="100%" y2="100%"/>`,
      flags([
        { at: at(sIndex), row: 0, text: t`S-Index ${sIndex}`, side: at(sIndex) > 50 ? "end" : "start", kind: "here" },
        ...(better === null
          ? []
          : [
              {
                at: at(after.all),
                row: 1,
                text: t`with all missing signals ${after.all}`,
                side: at(after.all) > 40 ? ("end" as const) : ("start" as const),
                kind: "average",
              },
            ]),
      ]),
      [1, Math.round(end / 2), end].map((rank) => xLabel(at(rank), rank)),
      xName(t("rank of the dataset, best first")),
    ],
    columns: [{ name: t("Score") }, COUNT(t("Datasets")), COUNT(t("Datasets with this score or more"))],
    rows: groups.map(({ total, first, last }) => ({ cells: [total, last - first + 1, last], href: listed(total) })),
  });
}

/**
 * Returns a sentence that explains the S-Index with this researcher's numbers. The sentence says "at least", because
 * more datasets than the index can have this score or more.
 */
export function describeIndex(datasets: number, sIndex: number): string {
  if (sIndex === 0) return t("No dataset has a score of at least 1, so the S-Index is 0");
  if (sIndex === 1 && datasets === 1) return t("The only dataset scores at least 1, so the S-Index is 1");
  if (sIndex === datasets)
    return t`All ${countText(datasets, "dataset")} score at least ${sIndex}, so the S-Index is ${sIndex}`;
  const next = sIndex + 1;
  return plural(
    sIndex,
    "The S-Index is {1}: at least {0} dataset scores {1} or more, but fewer than {2} score {2} or more",
    "The S-Index is {1}: at least {0} datasets score {1} or more, but fewer than {2} score {2} or more",
    sIndex,
    next,
  );
}

function groupTotals(totals: readonly number[]): Group[] {
  return [...Map.groupBy(totals, (total) => total)].map(([total, { length }]) => {
    const first = totals.indexOf(total) + 1;
    return { total, first, last: first + length - 1 };
  });
}

function drawPath(groups: readonly Group[], at: (rank: number) => number): string {
  return groups
    .map(({ total, first, last }, i) => {
      const start = `${i === 0 ? "M" : "L"}${at(first)} ${100 - total}`;
      return first === last ? start : `${start}H${at(last)}`;
    })
    .join("");
}

/**
 * Returns the totals that the datasets would have if all missing signals passed, the best first. Null if there are too many
 * groups of datasets. `most` is the number of ranks in the chart.
 */
function totalsAfter(kinds: SIndexIf["kinds"], most: number): number[] | null {
  if (kinds === null) return null;
  return kinds
    .flatMap(({ total, absent, datasets }) => {
      const missing = popcount(absent);
      return Array.from({ length: datasets }, () => total + POINTS_PER_SIGNAL * missing);
    })
    .toSorted((one, other) => other - one)
    .slice(0, most);
}
