/** The columns of evidence that a signal is judged by: those of its rule, then those of the condition under which it cannot be. */

import { EVIDENCE_NAMES, type EvidenceName } from "./evidence.ts";
import type { Signal } from "./rubric.ts";

const known = new WeakMap<Pick<Signal, "needs" | "notEvaluableWhen">, readonly EvidenceName[]>();

/** Each once. Asked of every record, so that a signal is read once. */
export function judgingColumns(signal: Pick<Signal, "needs" | "notEvaluableWhen">): readonly EvidenceName[] {
  const before = known.get(signal);
  if (before !== undefined) return before;
  const words = new Set(signal.notEvaluableWhen?.match(/[a-z_]+/g) ?? []);
  const hiding = EVIDENCE_NAMES.filter((name) => words.has(name) && !signal.needs.includes(name));
  const columns = [...signal.needs, ...hiding];
  known.set(signal, columns);
  return columns;
}
