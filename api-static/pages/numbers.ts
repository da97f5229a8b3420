/** Figures from rows to pages. */

import { ATTAINABLE_TOTALS, SCORE_RANGES } from "../../schemas/public/api/common.ts";
import type { DistributionData, Mean, MeansData, TotalsData } from "./rows.ts";

/** A mean as a JSON number; null where nothing was averaged. Two decimals survive the trip exactly enough to print alike. */
export function meanOf(value: Mean): number | null {
  return value === null ? null : Number(value);
}

/**
 * A mean that something was averaged for.
 * @throws Error for null
 */
export function knownMeanOf(value: Mean): number {
  if (value === null) throw new Error("a mean of nothing was to be shown as a number");
  return Number(value);
}

export function bucketMeansOf(row: MeansData) {
  return {
    S: meanOf(row.mean_s),
    H: meanOf(row.mean_h),
    A: meanOf(row.mean_a),
    R: meanOf(row.mean_r),
    E: meanOf(row.mean_e),
  };
}

/** The figures that a mean is to be read with. */
export function besideMeansOf(row: { readonly mean_cap: Mean; readonly passed_of_evaluable: Mean }) {
  return { meanCap: meanOf(row.mean_cap), passedOfEvaluable: meanOf(row.passed_of_evaluable) };
}

/** Scored records by each attainable total. */
export function totalsOf(row: TotalsData): Record<string, number> {
  return Object.fromEntries(ATTAINABLE_TOTALS.map((total) => [total, row[`t${Number(total)}`] ?? 0]));
}

type Distribution = Record<(typeof SCORE_RANGES)[number], number>;

export function distributionOf(row: DistributionData): Distribution {
  return Object.fromEntries(SCORE_RANGES.map((label, i) => [label, row[`d${i}`] ?? 0])) as Distribution;
}

/** A mean before it is rounded: a sum over how many. */
export interface ExactMean {
  readonly sum: number;
  readonly count: number;
}

/** `27.0` of 26.9508…; rounded to hundredths before, that would be 26.95 and then 26.9 in binary. */
export function tenths({ sum, count }: ExactMean): string {
  const rounded = Math.floor((20 * sum + count) / (2 * count));
  return `${Math.floor(rounded / 10)}.${rounded % 10}`;
}
