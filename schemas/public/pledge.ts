/**
 * A pledge as published in releases: the signals that a source's payloads can carry, with their fields.
 * pipeline/sources/<name>/pledge.json has the pledge by evidence column.
 */

import { z } from "zod";
import { evidenceName } from "./evidence.ts";
import { forms } from "./form.ts";
import { CONTRACTS, contractId, releasedContractId } from "./rubric.ts";
import { SIGNAL_IDS, signalId } from "./signal.ts";

export const SOURCE_KINDS = ["native", "registry", "aggregator"] as const;
/**
 * The kind of a source: the repository with the data, a DOI registry, or an aggregator. If several sources have a DOI, the
 * first kind in this order is preferred.
 */
export const sourceKind = z.enum(SOURCE_KINDS);
export type SourceKind = z.infer<typeof sourceKind>;

export const pledgeStatus = z.enum(["community-assessed", "self-attested", "verified"]);

export const pledgedSignal = z.discriminatedUnion("supported", [
  z.strictObject({ supported: z.literal(true), field: z.string().min(1), advice: z.string().min(1) }),
  z.strictObject({ supported: z.literal(false), why: z.string().min(1) }),
]);
export type PledgedSignal = z.infer<typeof pledgedSignal>;

const signalsOfContract = z
  .record(signalId, pledgedSignal)
  .refine((value) => SIGNAL_IDS.every((id) => id in value) && Object.keys(value).length === SIGNAL_IDS.length, {
    error: "a pledge covers each of the 25 signals",
  });

export const pledge = z.strictObject({
  source: z.string().regex(/^[a-z][a-z0-9_]*$/),
  name: z.string(),
  /** The repository label, or null if each payload states it. */
  repository: z.string().nullable(),
  repositoryField: z.string().nullable(),
  operator: z.string(),
  homepage: z.url(),
  kind: sourceKind,
  status: pledgeStatus,
  attestation: z.string(),
  /** Evidence that payloads can never carry. In an `or` with a pledged column, it counts as 0. */
  neverCarries: z.array(evidenceName),
  /** Keys that the source omits if empty. If a complete response does not have them, they count as empty. */
  omitsWhenEmpty: z.array(z.string()),
  contracts: z.record(contractId, signalsOfContract).refine((value) => CONTRACTS.every((id) => id in value), {
    error: "a pledge covers every contract",
  }),
  /** The form of each column. Pledges of old releases have none. */
  forms: forms.optional(),
});
export type Pledge = z.infer<typeof pledge>;

/** A pledge in a release, for the contracts of the program version that built it. */
export const releasedPledge = z.strictObject({
  ...pledge.shape,
  contracts: z.record(releasedContractId, signalsOfContract),
});
export type ReleasedPledge = z.infer<typeof releasedPledge>;
