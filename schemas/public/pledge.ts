/**
 * A pledge as releases publish it: which signals a source's payload can carry, from which of its own fields. What a source
 * states, by column, is in pipeline/sources/<name>/pledge.json.
 */

import { z } from "zod";
import { evidenceName } from "./evidence.ts";
import { forms } from "./form.ts";
import { CONTRACTS, contractId, releasedContractId } from "./rubric.ts";
import { SIGNAL_IDS, signalId } from "./signal.ts";

export const SOURCE_KINDS = ["native", "registry", "aggregator"] as const;
/**
 * The kind of a source, that is, who speaks: where the data live, a DOI registry, or an aggregator; in this order a
 * DOI's records are preferred.
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
    error: "a pledge answers for each of the 25 signals",
  });

export const pledge = z.strictObject({
  source: z.string().regex(/^[a-z][a-z0-9_]*$/),
  name: z.string(),
  /** The label a reader sees, or null where the payload names it. */
  repository: z.string().nullable(),
  repositoryField: z.string().nullable(),
  operator: z.string(),
  homepage: z.url(),
  kind: sourceKind,
  status: pledgeStatus,
  attestation: z.string(),
  /** Evidence the payload can never carry: reads 0 inside an `or` whose other side is pledged. */
  neverCarries: z.array(evidenceName),
  /** Keys the source leaves out when empty: absent in a complete answer, they read as none. */
  omitsWhenEmpty: z.array(z.string()),
  contracts: z.record(contractId, signalsOfContract).refine((value) => CONTRACTS.every((id) => id in value), {
    error: "a pledge answers for every contract",
  }),
  /** Where each column is entered. Pledges of releases made before it was kept have none. */
  forms: forms.optional(),
});
export type Pledge = z.infer<typeof pledge>;

/** A pledge as a release carries it: it answers for the contracts of the version that made the release. */
export const releasedPledge = z.strictObject({
  ...pledge.shape,
  contracts: z.record(releasedContractId, signalsOfContract),
});
export type ReleasedPledge = z.infer<typeof releasedPledge>;
