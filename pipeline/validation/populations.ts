/**
 * Computes the figures of one population under one public version. A population consists of the records of one source,
 * or of all sources.
 */

import type { PublicVersion, ReleasedRubric } from "../../schemas/public/rubric.ts";
import { POINTS_PER_SIGNAL, SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { MIN_RECORDS, type Population } from "../../schemas/public/validation.ts";
import type { Cell, Database } from "../engine/open.ts";
import { correlateItemRest, designEffect, eigenvalues, pairSums, phi, rounded, tau, wilson } from "./statistics.ts";

export async function readCounts(db: Database) {
  return {
    signals: await readCountRows(db, "signal_count", ["bit", "records", "supported", "evaluable", "passed"]),
    pairs: await readCountRows(db, "pair_count", ["one", "other", "n", "passed_one", "passed_other", "passed_both"]),
    clusters: await readCountRows(db, "cluster_count", ["bit", "clusters", "n", "passed", "pp", "pe", "ee"]),
    totals: await readCountRows(db, "total_count", ["bit", "passed", "records", "with_signal"]),
    denominators: await readCountRows(db, "denominator_count", ["passed", "supported", "evaluable", "records"]),
    scaled: (await readCountRows(db, "threshold_signal", ["scale", "bit", "evaluable", "passed"])).filter(
      ({ evaluable }) => evaluable > 0,
    ),
    orders: await readCountRows(db, "threshold_order", ["scale", "passed", "scaled", "records"]),
  };
}
export type SignalCounts = Awaited<ReturnType<typeof readCounts>>;

/**
 * True if a signal has a threshold that scaling changes. `halves` is the factor in units of one half: 1 means half the
 * threshold, and 4 means double.
 */
export type IsScaled = (halves: number, bit: number) => boolean;

/**
 * Returns the figures of all sources together, followed by those of each source. Leaves out populations with too few
 * records.
 */
export function buildPopulations(counts: SignalCounts, rubric: PublicVersion, scales: IsScaled): Population[] {
  const sources = [...new Set(counts.signals.map(({ source }) => source))].sort();
  return [null, ...sources]
    .map((source) => buildPopulation(within(counts, source, rubric), source, scales))
    .filter(({ records }) => records >= MIN_RECORDS);
}

function within(counts: SignalCounts, source: string | null, rubric: PublicVersion): SignalCounts {
  const only = <Row extends CountRow<never>>(rows: readonly Row[]) =>
    rows.filter((row) => row.rubric === rubric && (source === null || row.source === source));
  return {
    signals: only(counts.signals),
    pairs: only(counts.pairs),
    clusters: only(counts.clusters),
    totals: only(counts.totals),
    denominators: only(counts.denominators),
    scaled: only(counts.scaled),
    orders: only(counts.orders),
  };
}

function buildPopulation(counts: SignalCounts, source: string | null, scales: IsScaled): Population {
  const signals = SIGNAL_IDS.map((_, bit) => computeRate(counts, bit));
  const pairs = listPairs(counts);
  return {
    source,
    records: signals[0]?.records ?? 0,
    scored: sumColumn(counts.denominators, "records"),
    signals,
    phi: pairs,
    dimensions: computeDimensions(signals, pairs),
    ...computeFloorAndCeiling(counts),
    itemRest: SIGNAL_IDS.map((_, bit) => correlateWithRest(counts, bit)),
    denominators: computeDenominators(counts),
    thresholds: [1, 4].map((scale) => computeThresholds(counts, scale, scales)),
  };
}

function getSignalId(bit: number): string {
  return SIGNAL_IDS[bit] ?? "";
}

function computeRate({ signals, clusters }: SignalCounts, bit: number): Population["signals"][number] {
  const rows = signals.filter((row) => row.bit === bit);
  const [evaluable, passed] = [sumColumn(rows, "evaluable"), sumColumn(rows, "passed")];
  const own = clusters.filter((row) => row.bit === bit);
  const base = {
    signal: getSignalId(bit),
    records: sumColumn(rows, "records"),
    supported: sumColumn(rows, "supported"),
    evaluable,
    clusters: sumColumn(own, "clusters"),
  };
  if (evaluable < MIN_RECORDS || base.clusters === 0)
    return { ...base, passed: null, rate: null, design: null, low: null, high: null };
  const design = designEffect({
    clusters: base.clusters,
    n: sumColumn(own, "n"),
    passed: sumColumn(own, "passed"),
    pp: sumColumn(own, "pp"),
    pe: sumColumn(own, "pe"),
    ee: sumColumn(own, "ee"),
  });
  const { low, high } = wilson(passed / evaluable, evaluable / design);
  return {
    ...base,
    passed,
    rate: rounded(passed / evaluable),
    design: rounded(design),
    low: rounded(low),
    high: rounded(high),
  };
}

/**
 * Returns the correlation of each pair of signals, in the order of the signals. Leaves out pairs with too few records.
 */
function listPairs({ pairs }: SignalCounts): Population["phi"] {
  const byPair = Map.groupBy(pairs, ({ one, other }) => one * SIGNAL_IDS.length + other);
  return [...byPair.keys()]
    .sort((a, b) => a - b)
    .flatMap((key) => {
      const rows = byPair.get(key) ?? [];
      const n = sumColumn(rows, "n");
      const answers = { n, one: sumColumn(rows, "passed_one"), other: sumColumn(rows, "passed_other") };
      const value = n < MIN_RECORDS ? null : rounded(phi({ ...answers, both: sumColumn(rows, "passed_both") }));
      const [one, other] = [Math.floor(key / SIGNAL_IDS.length), key % SIGNAL_IDS.length];
      return value === null ? [] : [{ one: getSignalId(one), other: getSignalId(other), n, phi: value }];
    });
}

/**
 * Computes how many independent dimensions the signals measure. Uses the published, rounded figures, so that readers of
 * the file can repeat the computation.
 */
function computeDimensions(signals: Population["signals"], pairs: Population["phi"]): Population["dimensions"] {
  const varying = signals
    .filter(({ evaluable, passed }) => passed !== null && passed > 0 && passed < evaluable)
    .map(({ signal }) => signal);
  if (varying.length === 0) return { signals: [], effective: null, eigenvalues: [] };
  const known = new Map(
    pairs.flatMap(({ one, other, phi: value }) => [
      [`${one} ${other}`, value],
      [`${other} ${one}`, value],
    ]),
  );
  const matrix = varying.map((one) =>
    varying.map((other) => (one === other ? 1 : (known.get(`${one} ${other}`) ?? 0))),
  );
  const squares = matrix.reduce((sum, row) => row.reduce((own, value) => own + value * value, sum), 0);
  return {
    signals: varying,
    effective: rounded((varying.length * varying.length) / squares),
    eigenvalues: eigenvalues(matrix).map((value) => rounded(value) ?? 0),
  };
}

function computeFloorAndCeiling({ denominators }: SignalCounts): Pick<Population, "floor" | "ceiling"> {
  const n = sumColumn(denominators, "records");
  const share = (rows: SignalCounts["denominators"]) =>
    n < MIN_RECORDS ? null : rounded(sumColumn(rows, "records") / n);
  return {
    floor: { n, share: share(denominators.filter(({ passed }) => passed === 0)) },
    ceiling: { n, share: share(denominators.filter(({ passed, supported }) => passed === supported)) },
  };
}

/** Returns the correlation between a signal and the number of other signals that passed. */
function correlateWithRest({ totals }: SignalCounts, bit: number): Population["itemRest"][number] {
  const rows = totals.filter((row) => row.bit === bit);
  const sum = (value: (row: SignalCounts["totals"][number]) => number) =>
    rows.reduce((all, row) => all + value(row), 0);
  const n = sumColumn(rows, "records");
  const correlation = correlateItemRest({
    n,
    x: sumColumn(rows, "with_signal"),
    y: sum(({ passed, records, with_signal: having }) => passed * records - having),
    xy: sum(({ passed, with_signal: having }) => having * (passed - 1)),
    yy: sum(
      ({ passed, records, with_signal: having }) => (records - having) * passed ** 2 + having * (passed - 1) ** 2,
    ),
  });
  return { signal: getSignalId(bit), n, correlation: n < MIN_RECORDS ? null : rounded(correlation) };
}

function merged(cells: readonly { x: number; y: number; n: number }[]) {
  const byPlace = new Map<string, { x: number; y: number; n: number }>();
  for (const { x, y, n } of cells) {
    const key = `${x} ${y}`;
    byPlace.set(key, { x, y, n: n + (byPlace.get(key)?.n ?? 0) });
  }
  return [...byPlace.values()].filter(({ n }) => n > 0);
}

function computeTau(cells: readonly { x: number; y: number; n: number }[]): number | null {
  const sums = pairSums(cells);
  return sums.n < MIN_RECORDS ? null : rounded(tau(sums));
}

/**
 * The least common multiple of 1 to 25. Multiplied by it, a share such as 7 of 15 signals becomes a whole number, which
 * can be compared exactly.
 */
const PARTS = 26_771_144_400;

function computeDenominators({ denominators }: SignalCounts): Population["denominators"] {
  const n = sumColumn(denominators, "records");
  const share = (passed: number, of: number) => (of === 0 ? 0 : passed * (PARTS / of));
  const cells = (of: "supported" | "evaluable") =>
    merged(denominators.map((row) => ({ x: row.passed, y: share(row.passed, row[of]), n: row.records })));
  const mean = (of: "supported" | "evaluable" | null) => {
    const sum = (row: SignalCounts["denominators"][number]) =>
      row.records * (share(row.passed, of === null ? SIGNAL_IDS.length : row[of]) / PARTS);
    return n < MIN_RECORDS ? null : rounded((100 * denominators.reduce((all, row) => all + sum(row), 0)) / n);
  };
  return {
    n,
    all: mean(null),
    supported: mean("supported"),
    evaluable: mean("evaluable"),
    tauSupported: computeTau(cells("supported")),
    tauEvaluable: computeTau(cells("evaluable")),
  };
}

/**
 * Returns how scores change if thresholds are scaled. `scale` is the factor in units of one half: 1 means half the
 * threshold, and 4 means double.
 */
function computeThresholds(
  { scaled, orders }: SignalCounts,
  scale: number,
  scales: IsScaled,
): Population["thresholds"][number] {
  const rows = orders.filter((row) => row.scale === scale);
  const n = sumColumn(rows, "records");
  const points = rows.reduce((sum, row) => sum + POINTS_PER_SIGNAL * row.scaled * row.records, 0);
  const signals = SIGNAL_IDS.flatMap((signal, bit) => {
    if (!scales(scale, bit)) return [];
    const own = scaled.filter((row) => row.scale === scale && row.bit === bit);
    const evaluable = sumColumn(own, "evaluable");
    const rate = evaluable < MIN_RECORDS ? null : rounded(sumColumn(own, "passed") / evaluable);
    return [{ signal, evaluable, rate }];
  });
  return {
    scale: scale === 1 ? "0.5" : "2",
    n,
    tau: computeTau(merged(rows.map((row) => ({ x: row.passed, y: row.scaled, n: row.records })))),
    mean: n < MIN_RECORDS ? null : rounded(points / n),
    signals,
  };
}

type CountRow<Number extends string> = { readonly source: string; readonly rubric: string } & Readonly<
  Record<Number, number>
>;

async function readCountRows<Name extends string>(
  db: Database,
  relation: string,
  names: readonly Name[],
): Promise<CountRow<Name>[]> {
  const rows = await db.rows(`select source, rubric, ${names.join(", ")} from ${relation}`);
  return rows.map((row) => countedRow(row, names));
}

function countedRow<Name extends string>(row: Readonly<Record<string, Cell>>, names: readonly Name[]): CountRow<Name> {
  const numbers = Object.fromEntries(names.map((name) => [name, Number(row[name])]));
  return { source: String(row.source), rubric: String(row.rubric), ...numbers } as CountRow<Name>;
}

function sumColumn<Name extends string>(rows: readonly Readonly<Record<Name, number>>[], name: Name): number {
  return rows.reduce((sum, row) => sum + row[name], 0);
}

/** Matches a threshold in a rule: a number that a column must reach. */
const THRESHOLD = />= (\d+)/g;

/**
 * Multiplies the thresholds of a rule by a factor in units of one half: 1 means half, and 4 means double. A threshold
 * never falls below 1.
 */
function scaledRule(rule: string, halves: number): string {
  return rule.replaceAll(THRESHOLD, (_, threshold: string) => {
    return `>= ${Math.max(1, Math.ceil((Number(threshold) * halves) / 2))}`;
  });
}

export function isScaled(rule: string, halves: number): boolean {
  return scaledRule(rule, halves) !== rule;
}

export function scaledContract(contract: ReleasedRubric, halves: number): ReleasedRubric {
  const signals = contract.signals.map((signal) => ({ ...signal, rule: scaledRule(signal.rule, halves) }));
  return { ...contract, signals };
}
