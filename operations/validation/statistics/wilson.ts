/** The Wilson score interval of a rate. */

/** Standard deviations either side: 95 percent. */
export const Z = 1.96;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Of `passed` out of `n`, which is not zero (E. B. Wilson, 1927). */
export function wilson(passed: number, n: number): Interval {
  const rate = passed / n;
  const spread = Z * Math.sqrt((rate * (1 - rate)) / n + (Z * Z) / (4 * n * n));
  const middle = rate + (Z * Z) / (2 * n);
  const scale = 1 + (Z * Z) / n;
  return { low: Math.max(0, (middle - spread) / scale), high: Math.min(1, (middle + spread) / scale) };
}
