/** Converts numbers of table rows for pages. */

import { ATTAINABLE_TOTALS, SCORE_RANGES } from "../../schemas/public/api/common.ts";
import type { DistributionData, Mean, MeansData, TotalsData } from "./rows.ts";

/** Returns a mean with two decimals as a JSON number; null if there is no value. */
export function meanOf(value: Mean): number | null {
  return value === null ? null : Number(value);
}

/**
 * Returns a mean that must exist.
 * @throws Error for null
 */
export function knownMeanOf(value: Mean): number {
  if (value === null) throw new Error("expected a mean, found null");
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

/** Returns the numbers that readers need beside a mean. */
export function besideMeansOf(row: { readonly mean_cap: Mean; readonly passed_of_evaluable: Mean }) {
  return { meanCap: meanOf(row.mean_cap), passedOfEvaluable: meanOf(row.passed_of_evaluable) };
}

/** Returns the number of scored records with each attainable total. */
export function totalsOf(row: TotalsData): Record<string, number> {
  return Object.fromEntries(ATTAINABLE_TOTALS.map((total) => [total, row[`t${Number(total)}`] ?? 0]));
}

type Distribution = Record<(typeof SCORE_RANGES)[number], number>;

export function distributionOf(row: DistributionData): Distribution {
  return Object.fromEntries(SCORE_RANGES.map((label, i) => [label, row[`d${i}`] ?? 0])) as Distribution;
}

/** A mean before rounding. */
export interface ExactMean {
  readonly sum: number;
  readonly count: number;
}

/** Returns a mean with one decimal, rounded once: 26.9508 is `27.0`, where rounding to 26.95 first would give `26.9`. */
export function tenths({ sum, count }: ExactMean): string {
  const rounded = Math.floor((20 * sum + count) / (2 * count));
  return `${Math.floor(rounded / 10)}.${rounded % 10}`;
}
