/** The summary of a harvest, as the command line prints it and checkpoints carry it from run to run. */

import { z } from "zod";
import { REFUSALS, type RefusalReason } from "../../../schemas/public/refusal.ts";
import { noRefusals } from "../../store/raw/refused.ts";

/**
 * The outcome of a record that was asked for. `unanswered`: the service itself failed, and the record is still wanted.
 */
export type WantedOutcome = "kept" | "gone" | "refused" | "unanswered";

export type WantedCounts = Readonly<Record<WantedOutcome, number>>;

export interface HarvestSummary {
  readonly source: string;
  /** Input files read, 0 for HTTP. */
  readonly files: number;
  /** HTTP requests answered, retries included, 0 for files. */
  readonly requests: number;
  /** Records written, those before an interruption included. */
  readonly records: number;
  readonly refused: Readonly<Record<RefusalReason, number>>;
  /** Size of the payloads of the records, in UTF-8. */
  readonly bytes: number;
  /** True where an interrupted run was taken up again. */
  readonly resumed: boolean;
  /** Everything asked for is there: all inputs read, or as many records as the service says it has. */
  readonly complete: boolean;
  /** How many records the service said the walk has; null for files, or where it does not say. */
  readonly expected: number | null;
  /** True where the run came to the bounds it was given; the same command goes on from there. */
  readonly paused?: true;
  /** What became of the records that were wanted besides, where there were any; they are not among the others. */
  readonly wanted?: WantedCounts;
  /** What is missing, where something is. */
  readonly missing?: string;
}

/** The running counts of one harvest. */
export const tally = z.strictObject({
  files: z.int(),
  requests: z.int(),
  records: z.int(),
  bytes: z.int(),
  refused: z.record(z.enum(REFUSALS), z.int()),
});
export type Tally = z.infer<typeof tally>;

/** Counts at nothing. */
export function newTally(): Tally {
  return { files: 0, requests: 0, records: 0, bytes: 0, refused: noRefusals() };
}

/** How many pieces of input were refused for any reason, of a harvest or of all that a release is made of. */
export function refusedOf({ refused }: { readonly refused: Readonly<Record<string, number>> }): number {
  return Object.values(refused).reduce((sum, count) => sum + count, 0);
}
