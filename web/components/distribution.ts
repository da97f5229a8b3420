/** Charts the distribution of scores, with median and average, and with the score of one dataset among others. */

import { ATTAINABLE_TOTALS, POINTS_PER_SIGNAL } from "../../schemas/public/signal.ts";
import { type Html, html } from "../html.ts";
import { t } from "../languages/translate.ts";
import { COUNT, chart, datum, type Flag, flags, gridLines, part, xLabel, xName } from "./chart.ts";
import { countText, hundredths, integer, percent, plural } from "./figures.ts";
import { addQuery, type QueryFields } from "./navigation.ts";

/** Numbers of scored datasets by total. */
export type Totals = Readonly<Record<string, number>>;

interface Distribution {
  readonly id?: string;
  readonly totals: Totals;
  /** Words that follow "datasets", for example `in Zenodo`; empty for all datasets. */
  readonly place: string;
  /** The average as the release publishes it, which has been rounded only once. */
  readonly mean: number | null;
  /** The filters of a list with exactly these datasets; null if there is no such list. */
  readonly query: QueryFields | null;
  /** The total of the dataset that the page is about; null if the chart is about all datasets. */
  readonly here?: number | null;
  readonly level?: 2 | 3;
}

/** Returns the chart; null if no dataset has a score. */
export function distributionChart({
  id = "distribution",
  totals,
  place,
  mean,
  query,
  here = null,
  level = 2,
}: Distribution): Html | null {
  const counts = countsIn(totals);
  const scored = counts.reduce((sum, { count }) => sum + count, 0);
  if (scored === 0) return null;
  const median = findMedian(totals);
  const most = Math.max(...counts.map(({ count }) => count));
  const listed = (total: number) =>
    query === null ? null : addQuery("/datasets", { ...query, minScore: String(total), maxScore: String(total) });
  const shown = counts.filter(({ count }) => count > 0);
  // A flag ends above the columns at its place, so that it cuts none of them in two.
  const marks = makeFlags(median, mean, here).map((flag) => {
    const under = counts.filter(({ total }) => Math.abs(findCentre(total) - flag.at) <= 0.51 * STEP);
    return { ...flag, until: part(most - Math.max(...under.map(({ count }) => count)), most) };
  });
  return chart({
    id,
    subject: t(here === null ? "Distribution of scores" : "Among comparable datasets"),
    finding: here === null ? describeSpread(totals, place) : describeStanding(here, totals, place),
    basis: html`Number of datasets by score. ${plural(scored, "One has a score", "{0} have a score")}${median === null ? null : t`: median ${median}`}${mean === null ? null : t`, average ${hundredths(mean)}`}.`,
    level,
    look: LOOKS[marks.length] ?? "four",
    drawing: [
      gridLines(0, most, integer),
      shown.map(({ total, count }) =>
        datum({
          words: `${countText(total, "point")}: ${countText(count, "dataset")}, ${percent(count, scored)}`,
          href: listed(total),
          at: findCentre(total),
          row: marks.length,
          hit: html`<rect class="hit" x="${findLeft(total)}%" width="${STEP}%" height="100%"/>`,
          mark: column(total, count / most, total === here),
        }),
      ),
      html`<line class="axis" x1="0" x2="100%" y1="100%" y2="100%"/>`,
      flags(marks),
      [0, 20, 40, 60, 80, 100].map((total) => xLabel(findCentre(total), total)),
      xName(t("score, of 100 points")),
    ],
    columns: [
      { name: t("Score") },
      COUNT(t("Datasets")),
      { name: t("Share"), write: (share) => percent(share ?? 0, 100) },
    ],
    rows: shown.map(({ total, count }) => ({ cells: [total, count, (100 * count) / scored], href: listed(total) })),
  });
}

/** The number of rows of labels by the number of flags: one for each flag, and one for the value under the pointer. */
const LOOKS = ["one", "two", "three", "four"] as const;

const STEP = 100 / ATTAINABLE_TOTALS.length;

function findLeft(total: number): number {
  return Math.round((10_000 * total) / (POINTS_PER_SIGNAL * ATTAINABLE_TOTALS.length)) / 100;
}

function findCentre(total: number): number {
  return Math.round(100 * ((100 * total) / (POINTS_PER_SIGNAL * ATTAINABLE_TOTALS.length) + STEP / 2)) / 100;
}

/** Returns the column of a total. Its height is relative to the highest column, and never so small that it is invisible. */
function column(total: number, height: number, isHere: boolean): Html {
  const share = Math.max(height, 0.006);
  return html`<rect class="${isHere ? "fill here" : "fill"}" x="${Math.round(100 * (findLeft(total) + STEP * 0.09)) / 100}%" width="${Math.round(STEP * 82) / 100}%" y="${part(1 - share, 1)}" height="${part(share, 1)}"/>`;
}

/** If median and average differ by fewer points than this, they share one line, because two lines would touch. */
const MIN_APART = 3;

/**
 * Returns flags, which are vertical lines with labels, at the median, at the average, and at one dataset. Median and
 * average are often close, so their labels are in two rows, and are on opposite sides of their lines if there is room.
 */
function makeFlags(median: number | null, mean: number | null, here: number | null): Flag[] {
  if (median === null || mean === null) return [];
  const away = (at: number, isLower: boolean): "start" | "end" =>
    isLower ? (at > 35 ? "end" : "start") : at > 60 ? "end" : "start";
  const [middle, average] = [findCentre(median), findCentre(mean)];
  const both = { row: 0, text: t`median ${median}, average ${hundredths(mean)}`, kind: "median" };
  const spread =
    Math.abs(median - mean) < MIN_APART
      ? [{ ...both, at: middle, side: away(middle, false) }]
      : [
          { at: middle, row: 1, text: t`median ${median}`, side: away(middle, middle <= average), kind: "median" },
          {
            at: average,
            row: 0,
            text: t`average ${hundredths(mean)}`,
            side: away(average, middle > average),
            kind: "average",
          },
        ];
  const own = here === null ? null : findCentre(here);
  return [
    ...spread,
    ...(own === null
      ? []
      : [{ at: own, row: spread.length, text: t`this dataset ${here ?? 0}`, side: away(own, false), kind: "here" }]),
  ];
}

function countsIn(totals: Totals): { readonly total: number; readonly count: number }[] {
  return ATTAINABLE_TOTALS.map((total) => ({ total: Number(total), count: totals[total] ?? 0 }));
}

/** Returns the median of the totals; null without a dataset. With an even number, it is the average of the middle two. */
export function findMedian(totals: Totals): number | null {
  const counts = countsIn(totals);
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  if (all === 0) return null;
  return (totalAt(counts, Math.floor((all - 1) / 2)) + totalAt(counts, Math.floor(all / 2))) / 2;
}

/** Returns the total of the dataset at the index `place`, from zero, in ascending order of totals. */
function totalAt(counts: readonly { readonly total: number; readonly count: number }[], place: number): number {
  let before = 0;
  return (
    counts.find(({ count }) => {
      before += count;
      return before > place;
    })?.total ?? 0
  );
}

/** With fewer datasets than this, the text has no percentages, which would claim more than so few datasets show. */
const FEW = 10;

/** Returns a share in words that begin a sentence, such as `About half of the`. Only an exact half is called "Half". */
function describeShare(some: number, all: number): string {
  if (all < FEW) return t`${some} of the ${all}`;
  if (2 * some === all) return t("Half of the");
  const share = Math.floor((200 * some + all) / (2 * all));
  if (some < all && share === 100) return t("More than 99 % of the");
  if (some > 0 && share === 0) return t("Fewer than 1 % of the");
  return share >= 48 && share <= 52 ? t("About half of the") : t`${share} % of the`;
}

/**
 * Returns the heading of the distribution as a sentence, for example `About half of the datasets score 48 or less`.
 * `place` has words that follow "datasets", as in the chart.
 */
export function describeSpread(totals: Totals, place: string): string {
  const dataset = place === "" ? t("dataset") : t`dataset ${place}`;
  const datasets = place === "" ? t("datasets") : t`datasets ${place}`;
  const scored = place === "" ? t("scored datasets") : t`scored datasets ${place}`;
  const counts = countsIn(totals).filter(({ count }) => count > 0);
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  const [first, second] = counts;
  if (first === undefined) return t`No ${dataset} has a score`;
  if (all === 1) return t`The only ${dataset} with a score has ${countText(first.total, "point")}`;
  if (second === undefined) {
    return t`All ${integer(all)} ${datasets} with a score have ${countText(first.total, "point")}`;
  }
  if (all === 2) return t`The two ${datasets} with a score have ${first.total} and ${second.total} points`;
  const frequent = counts.find(({ count }) => 2 * count > all);
  if (frequent !== undefined) {
    return t`${describeShare(frequent.count, all)} ${scored} have exactly ${frequent.total} points`;
  }
  const middle = totalAt(counts, Math.floor((all - 1) / 2));
  const upTo = counts.reduce((sum, { total, count }) => (total <= middle ? sum + count : sum), 0);
  return t`${describeShare(upTo, all)} ${scored} have ${middle} points or less`;
}

/** Returns a sentence that compares the score of one dataset with those of all datasets. `totals` also counts that dataset. */
export function describeStanding(total: number, totals: Totals, place: string): string {
  const counts = countsIn(totals);
  const countIf = (isCounted: (other: number) => boolean) =>
    counts.reduce((sum, each) => (isCounted(each.total) ? sum + each.count : sum), 0);
  const [lower, higher] = [countIf((other) => other < total), countIf((other) => other > total)];
  const all = countIf(() => true);
  const same = all - lower - higher - 1;
  const inCase = (share: string) => share.charAt(0).toLowerCase() + share.slice(1);
  const ties = same === 0 ? "" : plural(same, "; {0} scores the same", "; {0} score the same");
  if (all <= 1) return t`This is the only dataset ${place} with a score`;
  if (lower + higher === 0) return t`All ${integer(all)} datasets ${place} with a score have ${total} points`;
  if (higher === 0) return t`No dataset ${place} scores higher than this one${ties}`;
  if (lower === 0) return t`No dataset ${place} scores lower than this one${ties}`;
  if (2 * lower >= all)
    return t`This dataset scores higher than ${inCase(describeShare(lower, all))} scored datasets ${place}`;
  if (2 * higher >= all) return t`${describeShare(higher, all)} scored datasets ${place} score higher than this one`;
  return t`${describeShare(lower, all)} scored datasets ${place} score lower than this one, and ${inCase(describeShare(higher, all))} scored datasets higher`;
}

/**
 * Isolates a name from the sentence around it, so that a name in a right-to-left script does not change the order of its words
 * (Unicode Standard Annex 9).
 */
export function isolated(name: string): string {
  return `\u2068${name}\u2069`;
}
