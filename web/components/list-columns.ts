/**
 * Columns of lists whose rows are groups of datasets, such as institutions: the average with its bar, datasets by year,
 * and the change since the previous release.
 */

import { datasetTier, type ExactMean, exactMean, subtractMeans } from "../../api-static/pages/numbers.ts";
import { type Html, html } from "../html.ts";
import { t } from "../languages/translate.ts";
import { meter, type PointSums } from "./bars.ts";
import { averageText, countText, hundredths, integer, percent, signedNumber, UNKNOWN } from "./figures.ts";
import type { TableColumn } from "./table.ts";

/** The figures of a group of datasets. */
export interface GroupFigures {
  readonly datasets: number;
  /** The mean score of the scored datasets. */
  readonly mean: ExactMean;
  readonly possible: ExactMean;
  readonly years: readonly GroupYear[];
}

interface GroupYear {
  /** The year of publication; null if unknown. */
  readonly year: number | null;
  readonly datasets: number;
  readonly mean: ExactMean;
}

/** The figures in the previous release, if its scores can be compared. A group that they lack is new. */
export interface EarlierFigures {
  readonly scoreReleaseVersion: string;
  readonly groups: ReadonlyMap<string, Pick<GroupFigures, "datasets" | "mean">>;
}

/** The figures of the groups in a list, by the key of the group. */
export interface OverTime {
  readonly groups: ReadonlyMap<string, GroupFigures>;
  /** The figures of the previous release; null without a release to compare with. */
  readonly before: EarlierFigures | null;
  /** The last year for which there is a bar. It is the year of the release. */
  readonly until: number;
}

/** With fewer scored datasets than this, a page shows no average of a group, because one dataset would change it a lot. */
export const MIN_AVERAGED = 5;

/**
 * Returns the average beside the possible average, above a bar with a mark at the possible average. `scored` is the number
 * of datasets in the average; the average of few is not shown.
 */
export function averageCell(mean: number | null, cap: number | null, scored: number): Html {
  if (mean === null) return html`${UNKNOWN}`;
  if (scored < MIN_AVERAGED) return html`<span class="muted">too few scores</span>`;
  return html`<data value="${mean}">${averageText(mean, cap)}</data>${meter(mean, { most: 100, cap })}`;
}

/** Returns the share of the possible points that is reached, with the word for its tier; null with few scores. */
export function averageShareCell(sums: PointSums): Html | null {
  const { points, possible, scored } = sums;
  return scored < MIN_AVERAGED || possible === 0
    ? null
    : html`<data value="${points / possible}">${percent(points, possible)}</data> ${averageTier(sums)}`;
}

/** Returns the word for the tier of an average, in the colour of its bar. */
export function averageTier({ points, possible }: PointSums): Html {
  const { name } = datasetTier(points, possible);
  return html`<span class="band ${name}">${t(name)}</span>`;
}

/** Returns an average as a large figure, with the possible average beside it. */
export function averageFigure(mean: number | null, cap: number | null): Html {
  if (mean === null || cap === null) return html`<b>${hundredths(mean)}</b>`;
  const possible = html`of ${html`<data value="${cap}">${hundredths(cap)}</data>`}`;
  return html`<b><data value="${mean}">${hundredths(mean)}</data> <small>${possible}</small></b>`;
}

/** Returns the share of all datasets in a list, for example "10.4 % of the datasets name a funder: 425 of 4,098". */
export function shareText(datasets: number, all: number, about: string): string {
  return `${percent(datasets, all)} of the datasets ${about}: ${integer(datasets)} of ${integer(all)}`;
}

/** Returns the mean from its exact sum, so that it is rounded only once; null if it covers no dataset. */
export function roundMean({ sum, count }: ExactMean): number | null {
  return count === 0 ? null : exactMean(sum, count);
}

/** Largest number of years in the bar chart of a cell. */
const MAX_YEARS = 15;

export const yearsColumn = (until: number): TableColumn => ({
  name: `Datasets ${until - MAX_YEARS + 1}–${until}`,
  isBar: true,
});

/** Smallest number of datasets for a bar of full height. Otherwise a single dataset would fill the height. */
const MIN_SCALE = 4;

/** Returns a bar for each of the last years up to `until`. The year with the most datasets has the highest bar. */
export function yearBars(years: readonly Pick<GroupYear, "year" | "datasets">[], until: number): Html | null {
  const first = until - MAX_YEARS + 1;
  const shown = years.flatMap(({ year, datasets }) =>
    year !== null && year >= first && year <= until ? [{ year, datasets }] : [],
  );
  if (shown.length === 0) return null;
  const most = Math.max(MIN_SCALE, ...shown.map(({ datasets }) => datasets));
  const path = shown.map(({ year, datasets }) => {
    const height = Math.max(2, Math.round((20 * datasets) / most));
    return `M${10 * (year - first) + 1} 20v-${height}h8v${height}z`;
  });
  const words = shown.map(({ year, datasets }) => `${year}: ${datasets}`).join(", ");
  return html`<svg class="years" viewBox="0 0 ${10 * MAX_YEARS} 21" preserveAspectRatio="none" role="img" aria-label="${words}"><path d="${path.join("")}"/><path class="axis" d="M0 20.5h${10 * MAX_YEARS}"/></svg>`;
}

/** Returns the first and the last year as text, such as `2019–2025`; null if no dataset has a year. */
export function yearsText(years: readonly Pick<GroupYear, "year">[]): string | null {
  const known = years.flatMap(({ year }) => year ?? []);
  if (known.length === 0) return null;
  const [first, last] = [Math.min(...known), Math.max(...known)];
  return first === last ? String(first) : `${first}–${last}`;
}

/**
 * Returns the figures of the previous release if any of these groups has changed since then; otherwise null, so that the
 * list has no column of zeros.
 */
export function earlierIfChanged(
  shown: Iterable<readonly [key: string, now: Pick<GroupFigures, "datasets" | "mean"> | undefined]>,
  before: EarlierFigures | null,
): EarlierFigures | null {
  const hasChanged = [...shown].some(([key, now]) => {
    const earlier = before?.groups.get(key);
    if (earlier === undefined || now === undefined) return true;
    return earlier.datasets !== now.datasets || subtractMeans(earlier.mean, now.mean) !== 0;
  });
  return hasChanged ? before : null;
}

/** Returns the column of the change since the previous release; an empty list without a release to compare with. */
export function changeColumn(before: EarlierFigures | null): readonly TableColumn[] {
  return before === null ? [] : [{ name: `Since ${before.scoreReleaseVersion}`, isNumber: true }];
}

/** Returns the change of an average, rounded once; null if either is the average of few datasets. */
export function averageChange(earlier: ExactMean, now: ExactMean): number | null {
  return Math.min(earlier.count, now.count) < MIN_AVERAGED ? null : subtractMeans(earlier, now);
}

/** A smaller change of an average is grey, because new datasets alone often cause it. */
export const MIN_CHANGE = 0.5;

/** Returns the cell with the changes of average and number of datasets; none without a release to compare with. */
export function changeCells(
  key: string,
  now: Pick<GroupFigures, "datasets" | "mean"> | undefined,
  before: EarlierFigures | null,
): readonly Html[] {
  if (before === null) return [];
  const earlier = before.groups.get(key);
  if (earlier === undefined || now === undefined || earlier.datasets === 0)
    return [html`<span class="muted">new</span>`];
  const [more, difference] = [now.datasets - earlier.datasets, averageChange(earlier.mean, now.mean)];
  const look = difference === null || Math.abs(difference) < MIN_CHANGE ? "muted" : difference > 0 ? "up" : "down";
  return [
    html`<span class="${look}">${difference === null ? "–" : difference === 0 ? "0" : signedNumber(difference, 2)}</span>${
      more === 0
        ? null
        : html`<br> <span class="muted small">${more > 0 ? countText(more, "new", "new") : countText(-more, "fewer", "fewer")}</span>`
    }`,
  ];
}
