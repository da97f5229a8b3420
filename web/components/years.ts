/** Charts the average score of a set of datasets by year of publication. Each year links to the list of its datasets. */

import type { Html } from "../html.ts";
import { t } from "../languages/translate.ts";
import { COUNT, chart, MEAN } from "./chart.ts";
import { countText, hundredths, UNKNOWN } from "./figures.ts";
import { lineDrawing, placeValue, yearLabels } from "./line-chart.ts";
import { addQuery, type QueryFields } from "./navigation.ts";

export interface YearFigures {
  /** The year of publication; null if unknown. */
  readonly year: number | null;
  readonly datasets: number;
  readonly scoredCount: number;
  readonly meanScore: number | null;
}

interface Years {
  readonly years: readonly YearFigures[];
  /** Words that follow "datasets", for example `in Zenodo`; empty if the chart is about all datasets of its page. */
  readonly place: string;
  /** The filters that select the datasets in the list of datasets. */
  readonly query: QueryFields;
  /** The names of the two columns of counts, if not every version of a dataset is counted. The links lead to all versions. */
  readonly counted?: readonly [datasets: string, scored: string];
}

/** If the averages of the years differ by fewer points than this, they are called about the same. */
const MIN_RANGE = 3;

/** Returns the number of datasets below which the average of a year says little; it is higher in a large set. */
function chooseLeast(years: readonly YearFigures[]): number {
  return years.reduce((sum, { scoredCount }) => sum + scoredCount, 0) < 1000 ? 10 : 30;
}

/** Returns the chart; null if fewer than two years have enough scored datasets for an average that says something. */
export function yearsChart({ years, place, query, counted }: Years): Html | null {
  const [datasetsName, scoredName] = counted ?? [t("Datasets"), t("With a score")];
  const all = years.toSorted((one, other) => (one.year ?? Infinity) - (other.year ?? Infinity));
  const least = chooseLeast(years);
  const isFew = (scored: number) => scored < least;
  const known = all.flatMap(({ year, meanScore, scoredCount }) =>
    year === null || meanScore === null ? [] : [{ year, mean: meanScore, scored: scoredCount }],
  );
  // The line covers the years that the finding compares. Earlier and later years with few datasets are in the table.
  const [from, to] = [
    known.findIndex(({ scored }) => !isFew(scored)),
    known.findLastIndex(({ scored }) => !isFew(scored)),
  ];
  const drawn = from === to ? [] : known.slice(from, to + 1);
  const [first, last] = [drawn[0], drawn.at(-1)];
  const finding = describeYears(years, place);
  if (first === undefined || last === undefined || finding === null) return null;
  const listed = (year: number | null) =>
    year === null
      ? null
      : addQuery("/datasets", { ...query, publishedFrom: String(year), publishedUntil: String(year) });
  return chart({
    id: "years",
    subject: t("Average score by year of publication"),
    finding,
    basis: `${
      drawn.some(({ scored }) => isFew(scored))
        ? t`Average of the datasets of each year. A hollow point has fewer than ${least} of them, so the title leaves it out.`
        : t("Average of the datasets of each year.")
    }${counted === undefined ? "" : ` ${t("Links lead to all versions of the datasets.")}`}`,
    look: "one",
    drawing: lineDrawing(
      drawn.map(({ year, mean, scored }) => ({
        at: placeValue(year, first.year, last.year),
        value: mean,
        words: `${year}: ${hundredths(mean)}, ${countText(scored, "dataset")}`,
        href: listed(year),
        isFew: isFew(scored),
        isNew: false,
      })),
      yearLabels(first.year, last.year),
    ),
    columns: [{ name: t("Year") }, COUNT(datasetsName), COUNT(scoredName), MEAN(t("Average score"))],
    rows: all.map(({ year, datasets, scoredCount, meanScore }) => ({
      cells: [year ?? t(UNKNOWN), datasets, scoredCount, meanScore],
      href: listed(year),
    })),
  });
}

/**
 * Returns the heading of the chart, which compares the last year that has enough datasets with the year of the highest average;
 * null if no year has enough. Years with few datasets can have higher averages, so the sentence says that it leaves them out.
 */
export function describeYears(years: readonly YearFigures[], place: string): string | null {
  const datasets = place === "" ? t("Datasets") : t`Datasets ${place}`;
  const least = chooseLeast(years);
  const compared = years
    .flatMap(({ year, meanScore, scoredCount }) =>
      year === null || meanScore === null || scoredCount < least ? [] : [{ year, mean: meanScore }],
    )
    .toSorted((one, other) => one.year - other.year);
  const [first, last] = [compared[0], compared.at(-1)];
  const byMean = compared.toSorted((one, other) => one.mean - other.mean);
  const [low, high] = [byMean[0], byMean.at(-1)];
  if (first === undefined || last === undefined || low === undefined || high === undefined) return null;
  const now = t`${datasets} published in ${last.year} score ${hundredths(last.mean)} on average`;
  if (first === last) return now;
  if (high.mean - low.mean < MIN_RANGE)
    return t`${datasets} score about the same in all years from ${first.year} to ${last.year} with at least ${least} of them: ${hundredths(low.mean)} to ${hundredths(high.mean)} on average`;
  const highest = compared.filter(({ mean }) => mean === high.mean).map(({ year }) => year);
  return high.mean === last.mean
    ? t`${now}; no year since ${first.year} with at least ${least} of them has more`
    : t`${now}; the highest average of a year with at least ${least} of them is ${hundredths(high.mean)}, in ${highest.join(", ")}`;
}
