/** Signals, their buckets, states and masks (rubrics.md, "Arithmetic", "The five masks"). */

import { z } from "zod";
import { named } from "./named.ts";

export const BUCKETS = ["S", "H", "A", "R", "E"] as const;
export const bucketId = z.enum(BUCKETS);
export type BucketId = z.infer<typeof bucketId>;

export const SIGNALS_PER_BUCKET = 5;
export const POINTS_PER_SIGNAL = 4;

/**
 * Ids of the signals: S1..S5, H1..H5, A1..A5, R1..R5, E1..E5. In every contract, bit i of a mask stands for the signal at
 * position i.
 */
export const SIGNAL_IDS: readonly string[] = BUCKETS.flatMap((bucket) =>
  Array.from({ length: SIGNALS_PER_BUCKET }, (_, i) => `${bucket}${i + 1}`),
);
export const signalId = z.string().regex(/^[SHARE][1-5]$/);

/** The six states of a signal, in the order of their codes in scoring. */
export const STATES = ["unsupported", "source_missing", "failed", "not_evaluable", "absent", "passed"] as const;
export const signalState = named(
  "SignalState",
  z.enum(STATES).describe("The state of a signal. `GET /rubrics/{version}` explains each."),
);
export type SignalState = z.infer<typeof signalState>;

const mask = z.int().min(0).max(0x1ffffff);

/** The five masks of a score. Each has one bit for each of the 25 signals. */
export const masks = z.object({
  supportedMask: mask.describe("Signals that the source supports. Bit 0 is S1, bit 24 is E5."),
  evaluableMask: mask.describe("Evaluable signals."),
  passedMask: mask.describe("Passed signals."),
  sourceMissingMask: mask.describe("Supported signals whose field is not in the payload."),
  failedMask: mask.describe("Signals with an unreadable field."),
});
export type Masks = z.infer<typeof masks>;

/** Returns the state of the signal at position `bit`, from the masks. */
export function getSignalState(bit: number, of: Masks): SignalState {
  const flag = 1 << bit;
  if ((of.supportedMask & flag) === 0) return "unsupported";
  if ((of.passedMask & flag) !== 0) return "passed";
  if ((of.failedMask & flag) !== 0) return "failed";
  if ((of.sourceMissingMask & flag) !== 0) return "source_missing";
  if ((of.evaluableMask & flag) !== 0) return "absent";
  return "not_evaluable";
}

/** Returns the number of signals in a mask, which is the number of its bits that are 1. */
export function popcount(value: number): number {
  let rest = value;
  let count = 0;
  for (; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** The ranges of totals in histograms. */
export const SCORE_RANGES = [
  "0-9",
  "10-19",
  "20-29",
  "30-39",
  "40-49",
  "50-59",
  "60-69",
  "70-79",
  "80-89",
  "90-99",
  "100",
] as const;

/** All possible totals: 0, 4 … 100, because each signal gives four points. */
export const ATTAINABLE_TOTALS = Array.from({ length: 26 }, (_, i) => String(4 * i));
