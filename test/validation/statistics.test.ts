/** Compares the formulas behind validation.json with published values and with counts of every pair. */

import { describe, expect, test } from "vitest";
import {
  addPairSums,
  agreement,
  type ContingencyCell,
  correlateItemRest,
  designEffect,
  eigenvalues,
  kappa,
  NO_PAIRS,
  pairSums,
  phi,
  rounded,
  tau,
  wilson,
} from "../../pipeline/validation/statistics.ts";

test.each([
  { of: 0, n: 30, low: 0, high: 0.1135 },
  { of: 8, n: 10, low: 0.4902, high: 0.9433 },
  { of: 15, n: 30, low: 0.3315, high: 0.6685 },
  { of: 30, n: 30, low: 0.8865, high: 1 },
])("Wilson's interval for $of of $n is the published interval", ({ of, n, low, high }) => {
  const interval = wilson(of / n, n);
  expect({ low: rounded(interval.low), high: rounded(interval.high) }).toEqual({ low, high });
});

test.each([
  { name: "equal results", answers: { n: 40, one: 10, other: 10, both: 10 }, phi: 1, kappa: 1, agreement: 1 },
  { name: "opposite results", answers: { n: 40, one: 20, other: 20, both: 0 }, phi: -1, kappa: -1, agreement: 0 },
  { name: "agreement by chance", answers: { n: 40, one: 20, other: 20, both: 10 }, phi: 0, kappa: 0, agreement: 0.5 },
  // Cohen's own example: 50 answers, 25 and 30 of them yes, 20 by both.
  {
    name: "Cohen's example",
    answers: { n: 50, one: 25, other: 30, both: 20 },
    phi: 0.4082,
    kappa: 0.4,
    agreement: 0.7,
  },
  {
    name: "a signal that all records pass, and one that half of them pass",
    answers: { n: 40, one: 40, other: 20, both: 20 },
    phi: null,
    kappa: 0,
    agreement: 0.5,
  },
  {
    name: "two signals that all records pass",
    answers: { n: 9, one: 9, other: 9, both: 9 },
    phi: null,
    kappa: null,
    agreement: 1,
  },
])("phi, kappa and agreement are right for $name", ({ answers, phi: together, kappa: beyond, agreement: alike }) => {
  expect([phi(answers), kappa(answers), agreement(answers)].map(rounded)).toEqual([together, beyond, alike]);
});

test.each([
  // Ten clusters of four records each.
  {
    name: "clusters whose records agree",
    of: { clusters: 10, n: 40, passed: 20, pp: 80, pe: 80, ee: 160 },
    design: 4.4444,
  },
  // Half of each cluster passed: the records differ as if they were independent, or more.
  { name: "clusters with equal rates", of: { clusters: 10, n: 40, passed: 20, pp: 40, pe: 80, ee: 160 }, design: 1 },
  { name: "clusters of one record", of: { clusters: 40, n: 40, passed: 20, pp: 20, pe: 20, ee: 40 }, design: 1.0256 },
  { name: "records that all passed", of: { clusters: 10, n: 40, passed: 40, pp: 160, pe: 160, ee: 160 }, design: 4 },
  { name: "one cluster", of: { clusters: 1, n: 40, passed: 20, pp: 400, pe: 800, ee: 1600 }, design: 40 },
])("the design effect is right for $name", ({ of, design }) => {
  expect(rounded(designEffect(of))).toBe(design);
});

test.each([
  // Two records pass the signal and two others, two pass nothing.
  { name: "a signal that goes with the others", of: { n: 4, x: 2, y: 4, xy: 4, yy: 8 }, correlation: 1 },
  { name: "a signal without relation", of: { n: 4, x: 2, y: 4, xy: 2, yy: 8 }, correlation: 0 },
  { name: "a signal against the others", of: { n: 4, x: 2, y: 4, xy: 0, yy: 8 }, correlation: -1 },
  { name: "a signal that all pass", of: { n: 4, x: 4, y: 4, xy: 4, yy: 8 }, correlation: null },
])("the item-rest correlation is right for $name", ({ of, correlation }) => {
  expect(rounded(correlateItemRest(of))).toBe(correlation);
});

describe("computing eigenvalues", () => {
  test.each([
    {
      name: "an identity matrix",
      matrix: [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ],
      values: [1, 1, 1],
    },
    {
      name: "a matrix of ones",
      matrix: [
        [1, 1, 1],
        [1, 1, 1],
        [1, 1, 1],
      ],
      values: [3, 0, 0],
    },
    {
      name: "a correlation of one half",
      matrix: [
        [1, 0.5],
        [0.5, 1],
      ],
      values: [1.5, 0.5],
    },
    {
      name: "a matrix with negative entries",
      matrix: [
        [2, -1, 0],
        [-1, 2, -1],
        [0, -1, 2],
      ],
      values: [3.4142, 2, 0.5858],
    },
  ])("the eigenvalues of $name are right", ({ matrix, values }) => {
    expect(eigenvalues(matrix).map(rounded)).toEqual(values);
  });
});

/** Returns pseudorandom numbers that are the same in every run. */
function numbers(count: number, most: number, seed: number): number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % most;
  });
}

/** Computes the expected sums for Kendall's tau pair by pair. */
function counted(cells: readonly ContingencyCell[]) {
  const all = cells.flatMap(({ x, y, n }) => Array.from({ length: n }, () => ({ x, y })));
  const own = all.map((one) => all.reduce((sum, two) => sum + Math.sign(one.x - two.x) * Math.sign(one.y - two.y), 0));
  const pairs = (differ: (one: ContingencyCell, two: ContingencyCell) => boolean) =>
    all.reduce(
      (sum, one, i) => sum + all.slice(i + 1).filter((two) => differ({ ...one, n: 1 }, { ...two, n: 1 })).length,
      0,
    );
  const mean = own.reduce((sum, value) => sum + value, 0) / own.length;
  const spread = own.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    n: all.length,
    score: own.reduce((sum, value) => sum + value, 0) / 2,
    differX: pairs((one, two) => one.x !== two.x),
    differY: pairs((one, two) => one.y !== two.y),
    variance: (all.length / (all.length - 1)) * spread,
  };
}

describe("computing Kendall's tau", () => {
  test.each([1, 2, 3, 4])("the sums for Kendall's tau are the counts over all pairs (case %i)", (seed) => {
    const [xs, ys, ns] = [numbers(40, 7, seed), numbers(40, 9, seed + 100), numbers(40, 4, seed + 200)];
    const byPlace = new Map(xs.map((x, i) => [`${x} ${ys[i]}`, { x, y: ys[i] ?? 0, n: (ns[i] ?? 0) + 1 }]));
    const cells = [...byPlace.values()];
    const [got, wanted] = [pairSums(cells), counted(cells)];
    expect({ ...got, variance: 0 }).toEqual({ ...wanted, variance: 0 });
    expect(got.variance).toBeCloseTo(wanted.variance, 6);
    expect(pairSums(cells.toReversed())).toEqual(got);
  });

  test.each([
    {
      name: "the same order",
      cells: [
        [0, 0, 5],
        [1, 1, 5],
        [2, 2, 5],
      ],
      tau: 1,
    },
    {
      name: "the reverse order",
      cells: [
        [0, 2, 5],
        [1, 1, 5],
        [2, 0, 5],
      ],
      tau: -1,
    },
    {
      name: "no order",
      cells: [
        [0, 0, 5],
        [0, 1, 5],
        [1, 0, 5],
        [1, 1, 5],
      ],
      tau: 0,
    },
    {
      name: "only ties in one order",
      cells: [
        [0, 0, 5],
        [0, 1, 5],
      ],
      tau: null,
    },
  ])("Kendall's tau is right for $name", ({ cells, tau: wanted }) => {
    expect(rounded(tau(pairSums(cells.map(([x = 0, y = 0, n = 0]) => ({ x, y, n })))))).toBe(wanted);
  });

  test("Kendall's tau compares only pairs within a group", () => {
    // Within each group the order is reversed; the groups themselves stand the other way round.
    const low = pairSums([
      { x: 0, y: 1, n: 10 },
      { x: 1, y: 0, n: 10 },
    ]);
    const high = pairSums([
      { x: 10, y: 11, n: 10 },
      { x: 11, y: 10, n: 10 },
    ]);
    expect(tau([low, high].reduce(addPairSums, NO_PAIRS))).toBe(-1);
  });
});

test.each([
  [0.12345, 0.1235],
  [-0.00001, 0],
  [1 / 0, null],
  [0 / 0, null],
])("the number %d is written to validation.json as %s", (value, wanted) => {
  expect(rounded(value)).toBe(wanted);
  expect(Object.is(rounded(value), -0)).toBe(false);
});
