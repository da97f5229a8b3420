/** Charts the score of a dataset, or the average of many datasets, over releases. */

import { type ExactMean, subtractMeans } from "../../api-static/pages/numbers.ts";
import { type Html, html } from "../html.ts";
import { t } from "../languages/translate.ts";
import { COUNT, chart, csvDownload, dataTable, MEAN, xLabel } from "./chart.ts";
import { changeText, countText, hundredths, plural } from "./figures.ts";
import { type LinePoint, lineDrawing, placeValue } from "./line-chart.ts";

/** The figures of one release. */
export interface PastValue {
  readonly scoreReleaseVersion: string;
  readonly releaseDigest: string;
  readonly asOf: string;
  readonly contract: string;
  /** The score or average as it is shown; null if there is none. */
  readonly value: number | null;
  /** The value before rounding; a mean of no datasets if the release does not have this value. */
  readonly exact: ExactMean;
  /** The possible score or average. */
  readonly cap: number | null;
  /** The number of datasets that are averaged; null for the score of one dataset. */
  readonly datasets: number | null;
  /** An explanation beside the change. */
  readonly note?: string;
}

interface Trend {
  readonly id: string;
  /** The values of all releases, the oldest first. */
  readonly past: readonly PastValue[];
  /** The subject of the sentence about the score or average, for example `The average of the datasets in Zenodo`. */
  readonly whose: string;
  readonly basis: string;
}

/** With fewer releases than this, or a smaller difference of their values, a line would show nothing. */
const MIN_RELEASES = 3;
const MIN_DIFFERENCE = 1;

/**
 * Returns the chart; null if fewer than two releases have a value. If the values say too little for a line, returns one sentence
 * that opens their table.
 */
export function trendChart({ id, past, whose, basis }: Trend): Html | null {
  const known = past.filter(({ value }) => value !== null);
  if (known.length < 2) return null;
  const isAverage = known.some(({ datasets }) => datasets !== null);
  const write = isAverage ? hundredths : String;
  const buildAddress = ({ releaseDigest }: PastValue) => `/history/${releaseDigest.replace(":", "-")}`;
  const points = known.map((release, i): LinePoint => {
    const { value, scoreReleaseVersion, datasets, contract } = release;
    return {
      at: placeValue(i, 0, known.length - 1, 12),
      value: value ?? 0,
      words: `${scoreReleaseVersion}: ${write(value ?? 0)}${datasets === null ? "" : `, ${countText(datasets, "dataset")}`}`,
      href: buildAddress(release),
      isFew: false,
      isNew: i > 0 && known[i - 1]?.contract !== contract,
    };
  });
  const ends = [known[0], known.at(-1)].map((release, i) =>
    xLabel(points.at(i === 0 ? 0 : -1)?.at ?? 0, release?.scoreReleaseVersion ?? ""),
  );
  const values = known.map(({ value }) => value ?? 0);
  const about = {
    id,
    subject: t(isAverage ? "Average score over releases" : "Score over releases"),
    finding: describeTrend(past, whose),
    basis,
    columns: [
      { name: t("Release") },
      { name: t("As of") },
      ...(isAverage ? [COUNT(t("Datasets")), MEAN(t("Average score"))] : [COUNT(t("Score"))]),
      isAverage ? MEAN(t("Possible average")) : COUNT(t("Possible")),
      { name: t("Change") },
    ],
    rows: past.map((release, i) => {
      const { scoreReleaseVersion, asOf, value, cap, datasets } = release;
      return {
        cells: [
          scoreReleaseVersion,
          asOf,
          ...(isAverage ? [datasets] : []),
          value,
          cap,
          releaseChangeText(past[i - 1], release, isAverage ? 2 : 0),
        ],
        href: buildAddress(release),
      };
    }),
  };
  if (known.length < MIN_RELEASES || Math.max(...values) - Math.min(...values) < MIN_DIFFERENCE)
    return html`<details id="${id}"><summary>${about.finding}</summary><p>${basis} ${csvDownload(about)}</p>${dataTable(about)}</details>`;
  return chart({
    ...about,
    ...(points.some(({ isNew }) => isNew) ? { basis: t`${basis} A gap separates scores under different rules.` } : {}),
    look: "one",
    drawing: lineDrawing(points, ends),
  });
}

/** Returns the difference of two releases; `other rules` under different contracts, which cannot be compared. */
export function releaseChangeText(before: PastValue | undefined, now: PastValue, digits: 0 | 2): string {
  if (before === undefined) return "";
  if (before.contract !== now.contract) return t("other rules");
  const text = changeText(before.exact, now.exact, digits);
  return text === "" || text === "0" || now.note === undefined ? text : `${text}, ${now.note}`;
}

/** Returns the heading of the chart, which compares the current release with the first release under the same rules. */
export function describeTrend(past: readonly PastValue[], whose: string): string {
  const known = past.filter(({ value }) => value !== null);
  const now = known.at(-1);
  if (now === undefined) return t`${whose} is not known in any release`;
  const last = known.findLastIndex(({ contract }) => contract !== now.contract);
  const comparable = known.slice(last + 1);
  const [first] = comparable;
  const write = (value: number | null) => (now.datasets === null ? String(value) : hundredths(value));
  if (first === undefined || comparable.length < 2) {
    return last < 0
      ? t`${whose} is ${write(now.value)}`
      : t`${whose} is ${write(now.value)} under the rules since release ${now.scoreReleaseVersion}`;
  }
  const since = t`release ${first.scoreReleaseVersion}`;
  const difference = subtractMeans(first.exact, now.exact) ?? 0;
  if (difference !== 0) {
    const by = now.datasets === null ? String(Math.abs(difference)) : hundredths(Math.abs(difference));
    const sentence =
      difference > 0
        ? t`${whose} rose by ${by} to ${write(now.value)} since ${since}`
        : t`${whose} fell by ${by} to ${write(now.value)} since ${since}`;
    // New datasets can change an average although no score has changed.
    const more = (now.datasets ?? 0) - (first.datasets ?? 0);
    if (more === 0) return sentence;
    return more > 0
      ? plural(more, "{1}, with {0} more dataset", "{1}, with {0} more datasets", sentence)
      : plural(-more, "{1}, with {0} fewer dataset", "{1}, with {0} fewer datasets", sentence);
  }
  if (comparable.every(({ value }) => value === now.value)) {
    return t`${whose} is ${write(now.value)}, unchanged since ${since}`;
  }
  if (first.value === now.value) return t`${whose} is ${write(now.value)} again, as in ${since}`;
  const isUp = Number(now.value) > Number(first.value);
  return isUp
    ? t`${whose} rose from ${write(first.value)} in ${since} to ${write(now.value)}`
    : t`${whose} fell from ${write(first.value)} in ${since} to ${write(now.value)}`;
}
