/** Pages of the rubrics and of the list of versions. */

import type { z } from "zod";
import type { RubricDescriptor, rubricList } from "../../schemas/public/api/rubric.ts";
import type { Receipt, ReleaseExcerpt } from "../../schemas/public/release.ts";
import type { PublicVersion, Rubric } from "../../schemas/public/rubric.ts";
import { STATES } from "../../schemas/public/signal.ts";
import { coverageUnder } from "./metrics.ts";
import { explainIncomparability } from "./release-excerpt.ts";

export const STATE_MEANINGS: Record<(typeof STATES)[number], string> = {
  unsupported: "this source's pledge does not map the signal; no claim about the dataset",
  source_missing: "the pledge maps it, but the harvested payload did not carry the field group",
  failed: "the field was there and could not be read",
  not_evaluable: "there, but cannot be judged for this record",
  absent: "judged, and not there: the only state that speaks against the dataset",
  passed: "judged and there: 4 points",
};

const MASK_NAMES = ["supportedMask", "evaluableMask", "passedMask", "sourceMissingMask", "failedMask"];

/** Returns the page of a contract. `digest` is the digest of the contract, including its texts. */
export function rubricDescriptor(contract: Rubric, digest: string): RubricDescriptor {
  return {
    version: contract.publicVersion ?? contract.contract,
    contract: contract.contract,
    digest,
    status: contract.status,
    title: contract.title,
    summary: contract.summary,
    comparability: explainIncomparability(contract.contract),
    signals: contract.signals,
    buckets: contract.buckets,
    masks: { names: MASK_NAMES, bitOrder: contract.signals.map((signal) => signal.id) },
    states: STATES.map((state) => ({ state, meaning: STATE_MEANINGS[state] })),
  };
}

/**
 * Returns the page that lists the public versions. `scored` has the number of scored records for each version under which
 * the release has scores.
 */
export function buildRubricList(
  contracts: readonly { readonly version: PublicVersion; readonly contract: Rubric; readonly digest: string }[],
  scored: ReadonlyMap<string, number>,
): z.infer<typeof rubricList> {
  return contracts.map(({ version, contract, digest }) => ({
    version,
    contract: contract.contract,
    digest,
    status: contract.status,
    available: scored.has(version),
    scoredRecords: scored.get(version) ?? 0,
  }));
}

type Excerpted = Pick<
  Receipt,
  "scoreReleaseVersion" | "releaseDigest" | "publishedAt" | "asOf" | "coverage" | "rubrics"
>;

/** Returns an excerpt of the receipt for each public version: the release, the rubric of the version, and the coverage under it. */
export function rubricExcerpts(receipt: Excerpted): (readonly [PublicVersion, ReleaseExcerpt])[] {
  const { scoreReleaseVersion, releaseDigest, publishedAt, asOf } = receipt;
  return receipt.rubrics.map((rubric) => {
    const coverage = coverageUnder(receipt.coverage, rubric);
    return [rubric.version, { scoreReleaseVersion, releaseDigest, publishedAt, asOf, rubric, coverage }] as const;
  });
}
