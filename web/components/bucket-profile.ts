/** The points of each bucket beside the average of comparable datasets. */

import { type ExactMean, exactMean } from "../../api-static/pages/numbers.ts";
import { BUCKETS, type BucketId, POINTS_PER_SIGNAL } from "../../schemas/public/signal.ts";
import type { Html } from "../html.ts";
import { html } from "../html.ts";
import { t } from "../languages/translate.ts";
import type { Prevalence } from "./bars.ts";
import { chart, MEAN, part, xLabel, xName } from "./chart.ts";
import { averageText, percent } from "./figures.ts";
import { BUCKET_NAMES } from "./state-words.ts";

/** The points of a bucket over several datasets, with the number of these datasets and the points that are possible for them. */
interface BucketSum extends ExactMean {
  readonly possible: number;
}

export type BucketSums = Readonly<Record<BucketId, BucketSum>>;

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

/** Returns the chart; null if `own` or `others` has no scored dataset, or if both have the same sums. */
export function bucketProfile({ own, others, ownWords, othersWords }: Profile): Html | null {
  if (BUCKETS.some((bucket) => own[bucket].count === 0 || others[bucket].count === 0)) return null;
  if (BUCKETS.every((bucket) => own[bucket].sum === others[bucket].sum && own[bucket].count === others[bucket].count))
    return null;
  const isOne = BUCKETS.every((bucket) => own[bucket].count === 1);
  const write = ({ sum, possible, count }: BucketSum) => {
    if (possible === 0) return t("not possible");
    return count === 1 ? t`${sum} of ${possible}` : averageText(exactMean(sum, count), exactMean(possible, count));
  };
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

/**
 * Returns the heading of the chart: the bucket that differs most from the others. It compares the shares of the possible
 * points, because points that are not possible are not missing. A bucket without possible points is left out.
 */
export function describeProfile(own: BucketSums, others: BucketSums, othersWords: string): string {
  const average = t`the average of ${othersWords}`;
  const [most] = BUCKETS.flatMap((bucket) => {
    const [one, other] = [own[bucket], others[bucket]];
    if (one.possible === 0 || other.possible === 0) return [];
    const shares = [percent(one.sum, one.possible), percent(other.sum, other.possible)] as const;
    const by = Math.abs(one.sum / one.possible - other.sum / other.possible);
    return shares[0] === shares[1] ? [] : [{ name: t(BUCKET_NAMES[bucket]), shares, by }];
  }).toSorted((one, other) => other.by - one.by);
  return most === undefined
    ? t`Every bucket reaches the same share of the possible points as ${average}`
    : t`${most.name} differs most from ${average}: ${most.shares[0]} of the possible points, against ${most.shares[1]}`;
}

/** Returns the sums of each bucket from the numbers of datasets that pass each signal. */
export function sumBuckets(prevalence: readonly Prevalence[]): BucketSums {
  const sums = Object.fromEntries(BUCKETS.map((bucket) => [bucket, { sum: 0, possible: 0, count: 0 }]));
  for (const { signal, scored, supported, passed } of prevalence) {
    const own = sums[signal.charAt(0)];
    if (own === undefined) continue;
    own.sum += POINTS_PER_SIGNAL * passed;
    own.possible += POINTS_PER_SIGNAL * supported;
    // Each signal of a bucket counts the same datasets.
    if (signal.endsWith("1")) own.count += scored;
  }
  return sums as BucketSums;
}
