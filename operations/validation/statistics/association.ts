/** How two yes-or-no answers about the same things go together. */

/** Of `n`, those that are yes by the one, by the other, and by both. */
export interface Answers {
  readonly n: number;
  readonly one: number;
  readonly other: number;
  readonly both: number;
}

/** The correlation of the two (K. Pearson's phi); not a number where one of them is always the same. */
export function phi({ n, one, other, both }: Answers): number {
  return (n * both - one * other) / Math.sqrt(one * (n - one) * (other * (n - other)));
}

/** The share on which they agree. */
export function agreement({ n, one, other, both }: Answers): number {
  return (n - one - other + 2 * both) / n;
}

/** Agreement beyond chance (J. Cohen, 1960); not a number where chance alone would agree always. */
export function kappa(answers: Answers): number {
  const { n, one, other } = answers;
  const chance = (one * other + (n - one) * (n - other)) / (n * n);
  return (agreement(answers) - chance) / (1 - chance);
}

/**
 * Cronbach's alpha of yes-or-no items (KR-20): `passed` the yes of each, over `n` who answered all; `sum` and `squares` of their numbers of
 * yes. Not a number where all of them have the same.
 */
export function alpha(n: number, passed: readonly number[], sum: number, squares: number): number {
  const items = passed.length;
  const spread = squares * n - sum * sum;
  const own = passed.reduce((total, yes) => total + yes * (n - yes), 0);
  return (items / (items - 1)) * (1 - own / spread);
}
