/** Computes statistics: Kendall's rank correlation, intervals, eigenvalues, and the agreement of two signals. */

/** A cell of a contingency table: `n` records have the values x and y. */
export interface ContingencyCell {
  readonly x: number;
  readonly y: number;
  readonly n: number;
}

/**
 * Sums over pairs of records, from which tau is computed. The sums of several groups can be added if records of
 * different groups are not to be compared with each other.
 */
export interface PairSums {
  readonly n: number;
  /** Number of concordant pairs minus number of discordant pairs. */
  readonly score: number;
  /** Number of pairs whose x differs, and number of pairs whose y differs. */
  readonly differX: number;
  readonly differY: number;
  /**
   * Variance of the score, estimated from how much single records differ in their contribution to it (W. Hoeffding,
   * 1948).
   */
  readonly variance: number;
}

export const NO_PAIRS: PairSums = { n: 0, score: 0, differX: 0, differY: 0, variance: 0 };

export function addPairSums(one: PairSums, other: PairSums): PairSums {
  return {
    n: one.n + other.n,
    score: one.score + other.score,
    differX: one.differX + other.differX,
    differY: one.differY + other.differY,
    variance: one.variance + other.variance,
  };
}

/** Returns tau-b (M. G. Kendall, 1945). Returns NaN if all x or all y are equal. */
export function tau({ score, differX, differY }: PairSums): number {
  return score / Math.sqrt(differX * differY);
}

/**
 * Computes the sums over all pairs of records. The cells may be in any order, but each (x, y) must occur only once. The
 * time grows with the number of x values.
 */
export function pairSums(cells: readonly ContingencyCell[]): PairSums {
  const places = new Map([...new Set(cells.map(({ x }) => x))].sort((a, b) => a - b).map((x, i) => [x, i]));
  const sorted = cells.toSorted((a, b) => a.y - b.y || a.x - b.x);
  const n = sorted.reduce((sum, cell) => sum + cell.n, 0);
  const below = new Float64Array(places.size);
  const all = new Float64Array(places.size);
  for (const cell of sorted) all[places.get(cell.x) ?? 0] = (all[places.get(cell.x) ?? 0] ?? 0) + cell.n;
  let [twice, squares, sameY] = [0, 0, 0];
  for (const group of groupedByY(sorted)) {
    const level = new Float64Array(places.size);
    for (const cell of group) level[places.get(cell.x) ?? 0] = cell.n;
    for (const cell of group) {
      const own = contribution(places.get(cell.x) ?? 0, below, level, all);
      twice += cell.n * own;
      squares += cell.n * own * own;
    }
    const size = group.reduce((sum, cell) => sum + cell.n, 0);
    sameY += (size * (size - 1)) / 2;
    for (const [i, count] of level.entries()) below[i] = (below[i] ?? 0) + count;
  }
  const pairs = (n * (n - 1)) / 2;
  const sameX = all.reduce((sum, count) => sum + (count * (count - 1)) / 2, 0);
  const variance = n < 2 ? 0 : (n / (n - 1)) * (squares - (twice * twice) / n);
  return { n, score: twice / 2, differX: pairs - sameX, differY: pairs - sameY, variance };
}

/**
 * Returns what one record contributes to the score: its number of concordant pairs minus its number of discordant
 * pairs.
 */
function contribution(place: number, below: Float64Array, level: Float64Array, all: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < all.length; i += 1) {
    if (i === place) continue;
    const less = below[i] ?? 0;
    const more = (all[i] ?? 0) - less - (level[i] ?? 0);
    sum += i < place ? less - more : more - less;
  }
  return sum;
}

function* groupedByY(sorted: readonly ContingencyCell[]): Generator<ContingencyCell[]> {
  let group: ContingencyCell[] = [];
  for (const cell of sorted) {
    if (group[0] !== undefined && group[0].y !== cell.y) {
      yield group;
      group = [];
    }
    group.push(cell);
  }
  if (group.length > 0) yield group;
}

/**
 * Returns tau with its 95 percent interval. Treats the numbers of differing pairs as constants, which is an
 * approximation. All values are null if all x or all y are equal.
 */
export function tauInterval(sums: PairSums) {
  const middle = tau(sums);
  const spread = (Z * Math.sqrt(sums.variance)) / Math.sqrt(sums.differX * sums.differY);
  return {
    tau: rounded(middle),
    low: rounded(Math.max(-1, middle - spread)),
    high: rounded(Math.min(1, middle + spread)),
  };
}

/** Half the width of a 95 percent interval, in standard deviations. */
const Z = 1.96;

interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * Returns the 95 percent interval of a rate (E. B. Wilson, 1927). `n` is the number of records on which the rate is
 * based. It is above zero, and need not be a whole number.
 */
export function wilson(rate: number, n: number): Interval {
  const spread = Z * Math.sqrt((rate * (1 - rate)) / n + (Z * Z) / (4 * n * n));
  const middle = rate + (Z * Z) / (2 * n);
  const scale = 1 + (Z * Z) / n;
  return { low: Math.max(0, (middle - spread) / scale), high: Math.min(1, (middle + spread) / scale) };
}

/**
 * Sums over clusters of records, such as the records of one person. In each cluster, e records are evaluable, and p of
 * these passed.
 */
interface ClusterSums {
  readonly clusters: number;
  /** The sum of e over all clusters, which is the number of evaluable records. */
  readonly n: number;
  /** The sum of p. */
  readonly passed: number;
  /** The sum of p². */
  readonly pp: number;
  /** The sum of p·e. */
  readonly pe: number;
  /** The sum of e². */
  readonly ee: number;
}

/**
 * Returns the design effect of a rate (L. Kish, 1965), which is at least 1: the number of records in clusters that
 * carry as much information as one independent record. If either all records or none passed, each cluster counts as one
 * record.
 */
export function designEffect({ clusters, n, passed, pp, pe, ee }: ClusterSums): number {
  if (clusters < 2 || passed === 0 || passed === n) return n / clusters;
  const rate = passed / n;
  const spread = pp - 2 * rate * pe + rate * rate * ee;
  return Math.max(1, (clusters / (clusters - 1)) * ((spread * n) / (passed * (n - passed))));
}

/** Rounds to the published precision of four decimals, halves up. Returns null for NaN and infinity. */
export function rounded(value: number): number | null {
  const scaled = Math.floor(value * 10_000 + 0.5);
  // Adding 0 removes the sign of a negative zero.
  return Number.isFinite(scaled) ? scaled / 10_000 + 0 : null;
}

/** Largest number of passes over the matrix. A matrix with 25 rows needs far fewer. */
const SWEEPS = 60;

/** The matrix counts as diagonal if the sum of squares outside its diagonal is smaller than this. */
const NOTHING = 1e-22;

/**
 * Returns the eigenvalues of a symmetric matrix, largest first, computed with Jacobi rotations. Does not change
 * `matrix`.
 */
export function eigenvalues(matrix: readonly (readonly number[])[]): number[] {
  const a = matrix.map((row) => Float64Array.from(row));
  for (let sweep = 0; sweep < SWEEPS && offDiagonalSum(a) > NOTHING; sweep += 1) {
    for (let p = 0; p < a.length; p += 1) for (let q = p + 1; q < a.length; q += 1) rotate(a, p, q);
  }
  return a.map((row, i) => row[i] ?? 0).sort((one, other) => other - one);
}

function offDiagonalSum(a: readonly Float64Array[]): number {
  let sum = 0;
  for (const [i, row] of a.entries()) for (const [j, value] of row.entries()) if (i !== j) sum += value * value;
  return sum;
}

/** Rotates the matrix so that its element (p, q) becomes zero. */
function rotate(a: readonly Float64Array[], p: number, q: number): void {
  const at = (i: number, j: number) => a[i]?.[j] ?? 0;
  const put = (i: number, j: number, value: number) => {
    const row = a[i];
    if (row !== undefined) row[j] = value;
  };
  if (at(p, q) === 0) return;
  const theta = (at(q, q) - at(p, p)) / (2 * at(p, q));
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < a.length; k += 1) {
    const [one, other] = [at(k, p), at(k, q)];
    put(k, p, c * one - s * other);
    put(k, q, s * one + c * other);
  }
  for (let k = 0; k < a.length; k += 1) {
    const [one, other] = [at(p, k), at(q, k)];
    put(p, k, c * one - s * other);
    put(q, k, s * one + c * other);
  }
}

/**
 * Numbers of records: all (`n`), those that passed the first signal (`one`), the second signal (`other`), and both
 * signals.
 */
interface PairCounts {
  readonly n: number;
  readonly one: number;
  readonly other: number;
  readonly both: number;
}

/** Returns Pearson's phi of two signals. Returns NaN if all records have the same result for one of them. */
export function phi({ n, one, other, both }: PairCounts): number {
  return (n * both - one * other) / Math.sqrt(one * (n - one) * (other * (n - other)));
}

export function agreement({ n, one, other, both }: PairCounts): number {
  return (n - one - other + 2 * both) / n;
}

/**
 * Returns Cohen's kappa, the agreement beyond chance (J. Cohen, 1960). Returns NaN if chance alone would always lead to
 * agreement.
 */
export function kappa(answers: PairCounts): number {
  const { n, one, other } = answers;
  const chance = (one * other + (n - one) * (n - other)) / (n * n);
  return (agreement(answers) - chance) / (1 - chance);
}

/** Sums over `n` records: x is 1 if the signal passed, otherwise 0; y is the number of other signals that passed. */
interface ItemSums {
  readonly n: number;
  readonly x: number;
  readonly y: number;
  readonly xy: number;
  readonly yy: number;
}

/**
 * Returns Pearson's correlation of the signal with the number of other signals that passed. Returns NaN if x or y is the
 * same for all records.
 */
export function correlateItemRest({ n, x, y, xy, yy }: ItemSums): number {
  return (n * xy - x * y) / Math.sqrt(x * (n - x) * (n * yy - y * y));
}
