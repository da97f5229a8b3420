/** The data that the report of a release is made of. */

import type { ReleaseDiff } from "../../schemas/public/api/diff.ts";
import type { Gate } from "../../schemas/public/gates.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import type { BucketId, SignalState } from "../../schemas/public/signal.ts";

/** Figures of one release under one version. */
export interface Figures {
  readonly scored: number;
  /** Records of which too little could be judged for a total. */
  readonly insufficient: number;
  /** Mean of the caps of the scored records. */
  readonly cap: number | null;
  /** Signals passed of those that could be judged, in percent. */
  readonly passedOfEvaluable: number | null;
  readonly mean: number | null;
  readonly median: number | null;
  readonly above70: number | null;
  readonly buckets: Readonly<Record<BucketId, number | null>>;
  /** Records by the 11 score ranges. */
  readonly distribution: readonly number[];
  /** Records by each attainable total; null in releases that did not count them. */
  readonly totals: readonly number[] | null;
}

/** One signal: its name in the contract, and records by state. */
export interface SignalFigures {
  readonly id: string;
  readonly name: string;
  readonly states: Readonly<Partial<Record<SignalState, number>>>;
}

export interface RubricFigures {
  readonly version: PublicVersion;
  readonly contract: string;
  /** Null where there is no earlier release, or none under this version. */
  readonly before: Figures | null;
  readonly after: Figures;
  readonly signals: readonly SignalFigures[];
}

export interface ReportData {
  readonly receipt: Omit<Receipt, "manifestDigest" | "signature" | "gates" | "forced">;
  readonly citation: string;
  readonly gates: readonly Gate[];
  readonly diff: ReleaseDiff;
  readonly rubrics: readonly RubricFigures[];
}
