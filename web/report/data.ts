/** The data from which the report of a release is made. */

import type { ExactMean } from "../../api-static/pages/numbers.ts";
import type { ReleaseDiff } from "../../schemas/public/api/diff.ts";
import type { Gate } from "../../schemas/public/gates.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import type { BucketId, SignalState } from "../../schemas/public/signal.ts";

export interface Figures {
  readonly scored: number;
  /** Number of records without a total, because too few of their signals were judged. */
  readonly insufficient: number;
  /** Mean of the possible points of the scored records. */
  readonly cap: number | null;
  /** Share of passed signals among those that were judged, in percent. */
  readonly passedOfEvaluable: number | null;
  readonly mean: ExactMean;
  readonly median: number | null;
  readonly above70: number | null;
  readonly buckets: Readonly<Record<BucketId, ExactMean>>;
  /** Numbers of records with each of the 26 totals that are possible; null if the release did not count them. */
  readonly totals: readonly number[] | null;
}

/** One signal: its name in the contract, and the number of records in each state. */
export interface SignalFigures {
  readonly id: string;
  readonly name: string;
  readonly states: Readonly<Partial<Record<SignalState, number>>>;
}

export interface RubricFigures {
  readonly version: PublicVersion;
  readonly contract: string;
  /** The figures of the previous release; null if there is none under this version. */
  readonly before: Figures | null;
  readonly after: Figures;
  readonly signals: readonly SignalFigures[];
}

/** The mean score of a source in the previous release and in this one, under one version. */
export interface SourceMean {
  readonly source: string;
  readonly rubric: string;
  readonly before: ExactMean;
  readonly after: ExactMean;
}

export interface ReportData {
  readonly receipt: Omit<Receipt, "manifestDigest" | "signature" | "gates" | "forced">;
  readonly citation: string;
  readonly gates: readonly Gate[];
  readonly diff: ReleaseDiff;
  readonly rubrics: readonly RubricFigures[];
  /** The names of sources by their ids. */
  readonly sources: ReadonlyMap<string, string>;
  readonly sourceMeans: readonly SourceMean[];
}
