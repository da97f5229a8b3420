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
  /** The names of the two columns of counts, if not every version of a dataset is counted. */
  readonly counted?: readonly [datasets: string, scored: string];
}

/** With fewer datasets than this, the average of a year says little. */
const MIN_DATASETS = 5;

/** Returns the chart; null if fewer than two years have enough scored datasets for an average that says something. */
export function yearsChart({ years, place, query, counted = [t("Datasets"), t("With a score")] }: Years): Html | null {
  const all = years.toSorted((one, other) => (one.year ?? Infinity) - (other.year ?? Infinity));
  const isFew = (scored: number) => scored < MIN_DATASETS;
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
    basis: drawn.some(({ scored }) => isFew(scored))
      ? t`Average of the datasets of each year. A hollow point has fewer than ${MIN_DATASETS} of them.`
      : t("Average of the datasets of each year."),
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
    columns: [{ name: t("Year") }, COUNT(counted[0]), COUNT(counted[1]), MEAN(t("Average score"))],
    rows: all.map(({ year, datasets, scoredCount, meanScore }) => ({
      cells: [year ?? t(UNKNOWN), datasets, scoredCount, meanScore],
      href: listed(year),
    })),
  });
}

/**
 * Returns the heading of the chart, which compares the last year that has enough datasets with the first such year; null if no
 * year has enough.
 */
export function describeYears(years: readonly YearFigures[], place: string): string | null {
  const datasets = place === "" ? t("Datasets") : t`Datasets ${place}`;
  const compared = years
    .filter(({ year, scoredCount }) => year !== null && scoredCount >= MIN_DATASETS)
    .toSorted((one, other) => Number(one.year) - Number(other.year));
  const [first, last] = [compared[0], compared.at(-1)];
  if (first === undefined || last === undefined) return null;
  const now = t`${datasets} published in ${last.year ?? ""} score ${hundredths(last.meanScore)} on average`;
  if (first === last) return now;
  const [then, difference] = [hundredths(first.meanScore), Number(last.meanScore) - Number(first.meanScore)];
  const year = first.year ?? "";
  if (difference === 0) return t`${now}, as in ${year}`;
  return difference > 0 ? t`${now}, up from ${then} in ${year}` : t`${now}, down from ${then} in ${year}`;
}
