/** Converts numbers of table rows for pages. */

import { ATTAINABLE_TOTALS, SCORE_RANGES } from "../../schemas/public/signal.ts";
import type { DistributionData, Mean, MeanColumns, TotalsData } from "./rows.ts";

export function readMean(value: Mean): number | null {
  return value === null ? null : Number(value);
}

/**
 * Returns a mean as a number, if the mean must exist.
 * @throws Error if it is null
 */
export function requireMean(value: Mean): number {
  if (value === null) throw new Error("a page needs an average, but the tables have null for it; report this");
  return Number(value);
}

export function readBucketMeans(row: MeanColumns) {
  return {
    S: readMean(row.mean_s),
    H: readMean(row.mean_h),
    A: readMean(row.mean_a),
    R: readMean(row.mean_r),
    E: readMean(row.mean_e),
  };
}

/** Returns the numbers that pages show beside a mean. */
export function getNumbersBesideMean(row: { readonly mean_cap: Mean; readonly passed_of_evaluable: Mean }) {
  return { meanCap: readMean(row.mean_cap), passedOfEvaluable: readMean(row.passed_of_evaluable) };
}

export function readTotals(row: TotalsData): Record<string, number> {
  return Object.fromEntries(ATTAINABLE_TOTALS.map((total) => [total, row[`t${Number(total)}`] ?? 0]));
}

type Distribution = Record<(typeof SCORE_RANGES)[number], number>;

export function readDistribution(row: DistributionData): Distribution {
  return Object.fromEntries(SCORE_RANGES.map((label, i) => [label, row[`d${i}`] ?? 0])) as Distribution;
}

/** Returns `part` as a percentage of `of`, which must be above 0, rounded half up to two decimals. */
export function computeShare(part: number, of: number): number {
  return exactMean(100 * part, of);
}

/**
 * Returns the quotient of two integers, rounded half up to two decimals as in the tables. Rounding `sum / count` could be
 * wrong, because this floating-point number is not exact.
 */
export function exactMean(sum: number, count: number): number {
  return Math.floor((200 * sum + count) / (2 * count)) / 100;
}

/** Returns a score with its possible points (cap), such as `48 of 60`. Returns only `48` if the cap is 100 or unknown. */
export function scoreOfCap(score: number | string, cap: number | string | null): string {
  return cap === null || Number(cap) === 100 ? String(score) : `${score} of ${cap}`;
}

/** An exact mean, as the sum and the number of values, so that it is rounded only once. */
export interface ExactMean {
  readonly sum: number;
  readonly count: number;
}

/** Returns a mean with one decimal, rounded once from the exact value: 26.9508 becomes `27.0`. */
export function tenths({ sum, count }: ExactMean): string {
  const rounded = Math.floor((20 * sum + count) / (2 * count));
  return `${Math.floor(rounded / 10)}.${rounded % 10}`;
}

/** Returns the exact mean of totals. `totals` has the number of records for each total. */
export function computeExactMean(totals: Readonly<Record<string, number>>): ExactMean {
  const mean = { sum: 0, count: 0 };
  for (const [total, number] of Object.entries(totals)) {
    mean.sum += Number(total) * number;
    mean.count += number;
  }
  return mean;
}

/**
 * Returns the difference of two means, rounded once to two decimals, half away from zero. The difference of two rounded means
 * could be wrong by 0.01. Null if one of the means covers no records.
 */
export function subtractMeans(before: ExactMean, after: ExactMean): number | null {
  if (before.count === 0 || after.count === 0) return null;
  // Ten million datasets in each release make products above the safe integers.
  const difference = BigInt(after.sum) * BigInt(before.count) - BigInt(before.sum) * BigInt(after.count);
  const of = BigInt(before.count) * BigInt(after.count);
  const size = difference < 0n ? -difference : difference;
  return (Number((200n * size + of) / (2n * of)) / 100) * (difference < 0n ? -1 : 1);
}

/** Returns a number of bytes with a decimal unit: `8.9 MB`. */
export function fileSize(bytes: number): string {
  const power = Math.min(4, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const size = bytes / 1000 ** power;
  return `${size < 10 && power > 0 ? size.toFixed(1) : Math.round(size)} ${["B", "kB", "MB", "GB", "TB"][power]}`;
}

/**
 * The tiers of scores, best first; `from` is the lowest percentage of the possible points. The colours are dark enough for
 * white text (contrast at least 4.5:1 by WCAG 2.2).
 */
export const DATASET_TIERS = [
  { from: 80, name: "excellent", color: "#004f7d" },
  { from: 60, name: "good", color: "#00807d" },
  { from: 40, name: "fair", color: "#7a7700" },
  { from: 20, name: "basic", color: "#983c00" },
  { from: 0, name: "minimal", color: "#6b0f3a" },
] as const;

export type Tier = (typeof DATASET_TIERS)[number];

/** Returns the tier of a dataset's total or of a repository's mean, by how much of the possible points (cap) it reaches. */
export function datasetTier(score: number, cap: number | null): Tier {
  return DATASET_TIERS.find(({ from }) => 100 * score >= from * (cap ?? 100)) ?? DATASET_TIERS[4];
}
