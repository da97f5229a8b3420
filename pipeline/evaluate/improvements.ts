/** What would add points to a score: the signals that are not passed, by the field of the payload that would pass them, best first. */

import type { RecordDetail } from "../../schemas/api/record.ts";
import { POINTS_PER_SIGNAL, type SignalState } from "../../schemas/signal.ts";

/** One place in the source's own metadata, and what filling it in would bring. */
export interface Improvement {
  /** Points of all its signals together. */
  readonly points: number;
  readonly field: string;
  readonly signals: readonly { readonly id: string; readonly name: string; readonly state: SignalState }[];
  /** In the order of the signals, each text once. */
  readonly advice: readonly string[];
}

/** Signals that the source cannot carry are left out: nothing a depositor does would pass them. */
export function improvementsOf(detail: Pick<RecordDetail, "signals">): Improvement[] {
  const open = detail.signals.filter(({ state }) => state !== "passed" && state !== "unsupported");
  const byField = Map.groupBy(open, ({ field }) => field ?? "");
  return [...byField]
    .map(([field, signals]) => ({
      points: POINTS_PER_SIGNAL * signals.length,
      field,
      signals: signals.map(({ id, name, state }) => ({ id, name, state })),
      advice: [...new Set(signals.flatMap(({ advice }) => advice ?? []))],
    }))
    .toSorted((one, other) => other.points - one.points);
}
