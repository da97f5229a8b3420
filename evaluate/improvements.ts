/** Improvements that would add points to a score, the depositor's own part first, then what others can do, then what is not known. */

import type { RecordDetail } from "../schemas/public/api/record.ts";
import { POINTS_PER_SIGNAL, type SignalState } from "../schemas/public/signal.ts";

type SignalResult = RecordDetail["signals"][number];

/** One place in the source's own metadata, and what filling it in would bring. */
export interface Improvement extends Pick<SignalResult, "adviceFor" | "effort"> {
  /** Points of all its signals together; null where it is not known whether they are missing. */
  readonly points: number | null;
  readonly field: string;
  readonly signals: readonly { readonly id: string; readonly name: string; readonly state: SignalState }[];
  /** In the order of the signals, each text once. */
  readonly advice: readonly string[];
}

/** Signals that the source cannot carry are left out: nothing anybody does would pass them. */
export function improvementsOf(detail: Pick<RecordDetail, "signals">): Improvement[] {
  const open = detail.signals.filter(({ state }) => state !== "passed" && state !== "unsupported");
  return [...Map.groupBy(open, placeOf).values()]
    .map(improvement)
    .toSorted((one, other) => rank(one) - rank(other) || (other.points ?? 0) - (one.points ?? 0));
}

/** Signals stand together that the same person mends in the same place, in the same way. */
function placeOf({ field, state, adviceFor, effort }: SignalResult): string {
  return JSON.stringify([state === "absent", adviceFor, effort, field]);
}

function improvement(signals: readonly SignalResult[]): Improvement {
  const [first] = signals;
  return {
    points: first?.state === "absent" ? POINTS_PER_SIGNAL * signals.length : null,
    adviceFor: first?.adviceFor ?? null,
    effort: first?.effort ?? null,
    field: first?.field ?? "",
    signals: signals.map(({ id, name, state }) => ({ id, name, state })),
    advice: [...new Set(signals.flatMap(({ advice }) => advice ?? []))],
  };
}

function rank({ points, adviceFor }: Improvement): number {
  if (points === null) return 2;
  return adviceFor === "depositor" ? 0 : 1;
}
