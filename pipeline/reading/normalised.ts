/** Common ends of every normaliser: blank evidence, families, and the three ways of being no record. */

import type { Normalised, RecordFields } from "../../schemas/capture.ts";
import { EVIDENCE_NAMES, type Evidence } from "../../schemas/evidence.ts";
import { instantOf } from "./dates.ts";

const BLANK = Object.freeze(Object.fromEntries(EVIDENCE_NAMES.map((name) => [name, null]))) as Evidence;

/** Evidence with every column null: nothing carried. */
export function blankEvidence(): Evidence {
  return { ...BLANK };
}

/** A record that is gone, hidden or not public. */
export function tombstone(reason: string, updated: string | null): Normalised {
  return { outcome: "tombstone", reason, updated: instantOf(updated) };
}

/** A record of something that is no dataset. */
export function notDataset(reason: string, updated: string | null): Normalised {
  return { outcome: "not_dataset", reason, updated: instantOf(updated) };
}

/** A record identified but not readable: published without a score. */
export function failed(reason: string, updated: string | null, fields: RecordFields): Normalised {
  return { outcome: "failed", reason, updated: instantOf(updated), fields };
}

/** The family key of a record that states no versions: its DOI without a `.vN` suffix, or its own identifier. */
export function ownFamily(doi: string | null, identifier: string): string {
  return doi === null ? identifier : doi.replace(/\.v\d+$/, "");
}
