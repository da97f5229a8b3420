/** Kendall's rank correlation from a table of counts: pairs in the same order against pairs in the other, ties aside. */

/** How many stand at one value of each of two orders. */
export interface Cell {
  readonly x: number;
  readonly y: number;
  readonly n: number;
}

/** Sums over pairs, which add up over groups that are not to be compared with each other. */
export interface PairSums {
  readonly n: number;
  /** Pairs in the same order less pairs in the other. */
  readonly score: number;
  /** Pairs that differ in x, and that differ in y. */
  readonly differX: number;
  readonly differY: number;
  /** Variance of the score, by the spread of what each one contributes to it (W. Hoeffding, 1948). */
  readonly variance: number;
}

export const NO_PAIRS: PairSums = { n: 0, score: 0, differX: 0, differY: 0, variance: 0 };

export function added(one: PairSums, other: PairSums): PairSums {
  return {
    n: one.n + other.n,
    score: one.score + other.score,
    differX: one.differX + other.differX,
    differY: one.differY + other.differY,
    variance: one.variance + other.variance,
  };
}

/** tau-b (M. G. Kendall, 1945); not a number where one of the orders is all ties. */
export function tau({ score, differX, differY }: PairSums): number {
  return score / Math.sqrt(differX * differY);
}

/** Of cells in any order, each (x, y) once. Few values of x are wanted: time goes with their number. */
export function pairSums(cells: readonly Cell[]): PairSums {
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

/** Those in the same order with one at that place of x, less those in the other. */
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

function* groupedByY(sorted: readonly Cell[]): Generator<Cell[]> {
  let group: Cell[] = [];
  for (const cell of sorted) {
    if (group[0] !== undefined && group[0].y !== cell.y) {
      yield group;
      group = [];
    }
    group.push(cell);
  }
  if (group.length > 0) yield group;
}
