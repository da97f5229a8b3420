/** The points of each bucket beside the average of comparable datasets. */

import { type ExactMean, exactMean, subtractMeans } from "../../api-static/pages/numbers.ts";
import { BUCKETS, type BucketId, POINTS_PER_SIGNAL } from "../../schemas/public/signal.ts";
import type { Html } from "../html.ts";
import { html } from "../html.ts";
import { t } from "../languages/translate.ts";
import type { Prevalence } from "./bars.ts";
import { chart, MEAN, part, xLabel, xName } from "./chart.ts";
import { hundredths } from "./figures.ts";
import { BUCKET_NAMES } from "./state-words.ts";

/** The sum of the points of each bucket over several datasets, with the number of these datasets. */
export type BucketSums = Readonly<Record<BucketId, ExactMean>>;

/** The maximum number of points of a bucket. */
const MOST = 20;

interface Profile {
  readonly own: BucketSums;
  readonly others: BucketSums;
  /**
   * Words for the datasets whose points the bars show, such as `this dataset`. `othersWords` are those for the datasets
   * whose average the marks show, such as `the datasets in Zenodo`.
   */
  readonly ownWords: string;
  readonly othersWords: string;
}

/** Returns the chart; null if `own` or `others` has no scored dataset. */
export function bucketProfile({ own, others, ownWords, othersWords }: Profile): Html | null {
  if (BUCKETS.some((bucket) => own[bucket].count === 0 || others[bucket].count === 0)) return null;
  const isOne = BUCKETS.every((bucket) => own[bucket].count === 1);
  const write = ({ sum, count }: ExactMean) => (count === 1 ? String(sum) : hundredths(exactMean(sum, count)));
  return chart({
    id: "profile",
    subject: t("Points by bucket"),
    finding: describeProfile(own, others, othersWords),
    basis: t`Points of 20. Bars: ${isOne ? ownWords : t`average of ${ownWords}`}. Marks: average of ${othersWords}.`,
    look: "bars",
    drawing: [
      [0, 5, 10, 15, 20].map(
        (points) =>
          html`<line class="grid" x1="${part(points, MOST)}" x2="${part(points, MOST)}" y1="0" y2="100%"/>${xLabel((100 * points) / MOST, points)}`,
      ),
      BUCKETS.map((bucket, i) => {
        const [top, name] = [20 * i, t(BUCKET_NAMES[bucket])];
        const [value, other] = [write(own[bucket]), write(others[bucket])];
        const at = (mean: ExactMean) => part(mean.sum / mean.count, MOST);
        const words = t`${name}: ${value}, average ${other}`;
        return html`<g class="datum" tabindex="0" role="img" aria-label="${words}"><rect class="hit" y="${top}%" width="100%" height="20%"/><rect class="fill" y="${top + 10}%" width="${at(own[bucket])}" height="7%"/><line class="others" x1="${at(others[bucket])}" x2="${at(others[bucket])}" y1="${top + 8.5}%" y2="${top + 18.5}%"/><text class="part" x="0" y="${top + 7}%">${name} ${value}</text><text class="tip" x="100%" y="${top + 7}%" text-anchor="end">average ${other}</text></g>`;
      }),
      xName(t("points")),
    ],
    columns: [{ name: t("Bucket") }, MEAN(t("Points")), MEAN(t("Average for comparison"))],
    rows: BUCKETS.map((bucket) => ({
      cells: [t(BUCKET_NAMES[bucket]), ...[own, others].map((all) => exactMean(all[bucket].sum, all[bucket].count))],
      href: null,
    })),
  });
}

/** Returns the heading of the chart: in which buckets the datasets are furthest above and below the average of the others. */
export function describeProfile(own: BucketSums, others: BucketSums, othersWords: string): string {
  const differences = BUCKETS.map((bucket) => ({
    name: t(BUCKET_NAMES[bucket]),
    by: subtractMeans(others[bucket], own[bucket]) ?? 0,
  })).toSorted((one, other) => other.by - one.by);
  const [best, worst] = [differences[0], differences.at(-1)];
  const above = best === undefined || best.by <= 0 ? null : { name: best.name, by: hundredths(best.by) };
  const below = worst === undefined || worst.by >= 0 ? null : { name: worst.name, by: hundredths(-worst.by) };
  const average = t`the average of ${othersWords}`;
  if (above === null && below === null) return t`Every bucket is at ${average}`;
  if (above === null)
    return t`${below?.name ?? ""} is ${below?.by ?? ""} points below ${average}, and no bucket is above it`;
  if (below === null) return t`${above.name} is ${above.by} points above ${average}, and no bucket is below it`;
  return t`${above.name} is ${above.by} points above ${average}, and ${below.name} is ${below.by} below it`;
}

/** Returns the sum of the points of each bucket from the numbers of datasets that pass each signal. */
export function sumBuckets(prevalence: readonly Prevalence[]): BucketSums {
  const sums = Object.fromEntries(BUCKETS.map((bucket) => [bucket, { sum: 0, count: 0 }]));
  for (const { signal, scored, passed } of prevalence) {
    const own = sums[signal.charAt(0)];
    if (own === undefined) continue;
    own.sum += POINTS_PER_SIGNAL * passed;
    // Each signal of a bucket counts the same datasets.
    if (signal.endsWith("1")) own.count += scored;
  }
  return sums as BucketSums;
}
