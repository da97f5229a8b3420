/**
 * A pledge as a release publishes it: the signals for which payloads of a source can contain evidence, and the fields with
 * this evidence. It is derived from pipeline/sources/<name>/pledge.json, which describes evidence columns.
 */

import { z } from "zod";
import { evidenceName } from "./evidence.ts";
import { forms } from "./form.ts";
import { CONTRACTS, contractId, releasedContractId } from "./rubric.ts";
import { SIGNAL_IDS, signalId } from "./signal.ts";

export const SOURCE_KINDS = ["native", "registry", "aggregator"] as const;
/**
 * The kind of a source: a repository with data, a DOI registry, or an aggregator. If several sources have the same DOI, the
 * kind that comes first here is preferred.
 */
export const sourceKind = z.enum(SOURCE_KINDS);

export const pledgeStatus = z.enum(["community-assessed", "self-attested", "verified"]);

export const pledgedSignal = z.discriminatedUnion("supported", [
  z.strictObject({ supported: z.literal(true), field: z.string().min(1), advice: z.string().min(1) }),
  z.strictObject({ supported: z.literal(false), why: z.string().min(1) }),
]);
export type PledgedSignal = z.infer<typeof pledgedSignal>;

const signalsOfContract = z
  .record(signalId, pledgedSignal)
  .refine((value) => SIGNAL_IDS.every((id) => id in value) && Object.keys(value).length === SIGNAL_IDS.length, {
    error: "a pledge must have an entry for each of the 25 signals, S1 to E5, and no other",
  });

export const pledge = z.strictObject({
  source: z.string().regex(/^[a-z][a-z0-9_]*$/),
  name: z.string(),
  /** The label of the repository; null if the payloads contain it. */
  repository: z.string().nullable(),
  repositoryField: z.string().nullable(),
  operator: z.string(),
  homepage: z.url(),
  kind: sourceKind,
  status: pledgeStatus,
  attestation: z.string(),
  /**
   * Evidence columns that payloads of the source can never contain. If a rule joins such a column by `or` with one that
   * they can contain, the first counts as 0.
   */
  neverCarries: z.array(evidenceName),
  /**
   * Keys that the source leaves out of its responses if they are empty. If a complete response lacks such a key, the key
   * counts as empty.
   */
  omitsWhenEmpty: z.array(z.string()),
  contracts: z.record(contractId, signalsOfContract).refine((value) => CONTRACTS.every((id) => id in value), {
    error: `a pledge must have an entry for each contract: ${CONTRACTS.join(", ")}`,
  }),
  /** The form field for each column. Pledges of old releases lack them. */
  forms: forms.optional(),
});
export type Pledge = z.infer<typeof pledge>;

/** A pledge in a release. It covers the contracts of the program version that built the release. */
export const releasedPledge = z.strictObject({
  ...pledge.shape,
  contracts: z.record(releasedContractId, signalsOfContract),
});
export type ReleasedPledge = z.infer<typeof releasedPledge>;
