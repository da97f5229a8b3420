/** Means to one decimal, as badges show them: rounded once, half up, from whole numbers. */

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
