/** Precision and recall of signals, of counts of what a person found and what we said. */

import { rounded } from "../validation/statistics/rounded.ts";
import { wilson } from "../validation/statistics/wilson.ts";

/** Datasets by what a person found (present or absent) and what we said: passed, absent, or nothing, since it could not be judged. */
export interface CodedCounts {
  readonly presentPassed: number;
  readonly presentAbsent: number;
  readonly presentUnjudged: number;
  readonly absentPassed: number;
  readonly absentAbsent: number;
  readonly absentUnjudged: number;
}

/** A share of `n` with its Wilson interval; nulls of none. */
export interface Share {
  readonly n: number;
  readonly share: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

export interface CodedFigures {
  /** Of the datasets that passed, the share in which a person found it. */
  readonly precision: Share;
  /** Of the datasets in which a person found it and that could be judged, the share that passed. */
  readonly recall: Share;
  /** Of all datasets in which a person found it, the share that passed: what a source cannot carry is missed too. */
  readonly recallOfAll: Share;
}

export function codedFigures(of: CodedCounts): CodedFigures {
  return {
    precision: shareOf(of.presentPassed, of.presentPassed + of.absentPassed),
    recall: shareOf(of.presentPassed, of.presentPassed + of.presentAbsent),
    recallOfAll: shareOf(of.presentPassed, of.presentPassed + of.presentAbsent + of.presentUnjudged),
  };
}

function shareOf(count: number, n: number): Share {
  if (n === 0) return { n, share: null, low: null, high: null };
  const { low, high } = wilson(count, n);
  return { n, share: rounded(count / n), low: rounded(low), high: rounded(high) };
}
