/**
 * Scores one row of evidence without a database. The result is always identical to that of the SQL statement
 * (`scoringSql`), which test/score/differential.test.ts checks.
 */

import type { ScoreData } from "../../api-static/pages/rows.ts";
import type { Evidence, EvidenceName } from "../../schemas/public/evidence.ts";
import { parsePredicate, type Tree } from "../../schemas/public/predicate.ts";
import {
  BUCKETS,
  POINTS_PER_SIGNAL,
  popcount,
  SIGNALS_PER_BUCKET,
  type SignalState,
} from "../../schemas/public/signal.ts";
import { OBSERVED_USE, type ScoredContract, type SignalRules } from "./contracts.ts";
import { COUNTS, evaluatePredicate, hasOr } from "./predicates.ts";

/** A contract, and a mask of its signals that the source of the record supports. */
export interface ScoredSource extends ScoredContract<SignalRules> {
  readonly supported: number;
}

/** The evidence of one record, and facts about its source that affect the score. */
export interface RecordEvidence {
  readonly evidence: Evidence;
  /** Evidence columns that could not be read. */
  readonly errors: ReadonlySet<EvidenceName>;
  /** Evidence columns that the source of the record can never carry. */
  readonly neverCarries: readonly EvidenceName[];
}

/** A row of the table `score` without the id of the record. */
export type RecordScore = ScoreData & {
  readonly rubric: string;
  readonly status: "scored" | "insufficient_evidence";
  /**
   * Points of the R bucket of version 1.0; null if 1.0 is not among the contracts, or if too few of its signals are
   * evaluable.
   */
  readonly observed_use: number | null;
};

/**
 * Scores the evidence of a record under each contract. If fewer than `leastEvaluable` signals are evaluable, a score has
 * masks but no points.
 */
export function scoreEvidence(
  scored: readonly ScoredSource[],
  record: RecordEvidence,
  leastEvaluable: number,
): RecordScore[] {
  const judged = scored.map(({ rubric, contract, supported }) => {
    const masks = makeMasks(computeStates(contract, supported, record));
    return { rubric, contract: contract.contract, masks, isEnough: popcount(masks.evaluable_mask) >= leastEvaluable };
  });
  const use = judged.find(({ contract }) => contract === OBSERVED_USE);
  const observed_use = use?.isEnough === true ? countPoints(use.masks.passed_mask, BUCKETS.indexOf("R")) : null;
  return judged.map(({ rubric, masks, isEnough }) => ({
    rubric,
    ...(isEnough ? pointsIn(masks.passed_mask) : NO_POINTS),
    observed_use,
    ...masks,
  }));
}

/**
 * Returns the state of each signal. The key is the bit of the signal. The first condition that is true decides
 * (docs/method.md).
 */
function computeStates({ signals }: SignalRules, supported: number, record: RecordEvidence): Map<number, SignalState> {
  const orNone = withNone(record);
  return new Map(
    signals.map((signal) => {
      const isSupported = (supported & (1 << signal.bit)) !== 0;
      return [signal.bit, isSupported ? stateOfSupported(signal, record, orNone) : "unsupported"];
    }),
  );
}

function stateOfSupported(
  signal: SignalRules["signals"][number],
  { evidence, errors }: RecordEvidence,
  orNone: Evidence,
): SignalState {
  const { rule, hidden, hasAlternatives } = parsed(signal);
  const verdict = evaluatePredicate(rule, hasAlternatives ? orNone : evidence);
  if (verdict === true) return "passed";
  if (signal.needs.some((name) => errors.has(name))) return "failed";
  if (hidden !== null && evaluatePredicate(hidden, evidence) === true) return "not_evaluable";
  return verdict === null ? "source_missing" : "absent";
}

/** Returns the evidence for rules with `or`: a count is 0 instead of null if the source can never carry it. */
function withNone({ evidence, neverCarries }: RecordEvidence): Evidence {
  const none = neverCarries.filter((name) => COUNTS.has(name) && evidence[name] === null);
  return none.length === 0 ? evidence : { ...evidence, ...Object.fromEntries(none.map((name) => [name, 0])) };
}

interface ParsedSignal {
  readonly rule: Tree;
  readonly hidden: Tree | null;
  readonly hasAlternatives: boolean;
}

const PARSED = new WeakMap<SignalRules["signals"][number], ParsedSignal>();

/** Returns the parsed rules of a signal. They are cached, because every record needs them. */
function parsed(signal: SignalRules["signals"][number]): ParsedSignal {
  const known = PARSED.get(signal);
  if (known !== undefined) return known;
  const rule = parsePredicate(signal.rule);
  const hidden = signal.notEvaluableWhen === null ? null : parsePredicate(signal.notEvaluableWhen);
  const made = { rule, hidden, hasAlternatives: hasOr(rule) };
  PARSED.set(signal, made);
  return made;
}

function makeMasks(states: ReadonlyMap<number, SignalState>) {
  const mask = (isIn: (state: SignalState) => boolean): number =>
    [...states].reduce((sum, [bit, state]) => (isIn(state) ? sum | (1 << bit) : sum), 0);
  return {
    supported_mask: mask((state) => state !== "unsupported"),
    evaluable_mask: mask((state) => state === "absent" || state === "passed"),
    passed_mask: mask((state) => state === "passed"),
    source_missing_mask: mask((state) => state === "source_missing"),
    failed_mask: mask((state) => state === "failed"),
  };
}

const NO_POINTS = {
  status: "insufficient_evidence",
  ...{ total: null, s: null, h: null, a: null, r: null, e: null },
} as const;

function pointsIn(passed: number) {
  return {
    status: "scored",
    total: POINTS_PER_SIGNAL * popcount(passed),
    s: countPoints(passed, BUCKETS.indexOf("S")),
    h: countPoints(passed, BUCKETS.indexOf("H")),
    a: countPoints(passed, BUCKETS.indexOf("A")),
    r: countPoints(passed, BUCKETS.indexOf("R")),
    e: countPoints(passed, BUCKETS.indexOf("E")),
  } as const;
}

/** Returns the points of one bucket from the mask of passed signals. */
function countPoints(passed: number, bucket: number): number {
  return POINTS_PER_SIGNAL * popcount((passed >> (bucket * SIGNALS_PER_BUCKET)) & (2 ** SIGNALS_PER_BUCKET - 1));
}
