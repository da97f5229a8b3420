/** The excerpt of a release that lists of releases show. */

import type { z } from "zod";
import type { releaseList } from "../../schemas/public/api/service.ts";
import type { Receipt } from "../../schemas/public/release.ts";

export type ReleaseExcerpt = z.infer<typeof releaseList>[number];

/** Statements about a release that are made after its build: its retraction, and the revocation of its key. */
export type LaterStatements = Pick<ReleaseExcerpt, "retraction" | "keyRevoked">;

/** Returns the row of a release in `GET /releases`. `active` is the digest of the active release, or null. */
export function releaseExcerpt(receipt: Receipt, active: string | null, statements: LaterStatements): ReleaseExcerpt {
  const { scoreReleaseVersion, releaseDigest, publishedAt, asOf, previousReleaseDigest, rubrics, coverage } = receipt;
  return {
    scoreReleaseVersion,
    releaseDigest,
    publishedAt,
    asOf,
    previousReleaseDigest,
    rubrics,
    coverage,
    active: releaseDigest === active,
    receipt: `/releases/${releaseDigest.replace(":", "-")}`,
    ...statements,
  };
}

/**
 * Reasons why scores under a contract are not comparable with other scores of the same version, by contract.
 * docs/method.md, "SHARE 1.0", explains them in full.
 */
const NOT_COMPARABLE: Readonly<Record<string, string>> = {
  "1.0.0":
    "Not comparable with what others publish as SHARE 1.0: its 25 signals and their thresholds are this project's own reading, since no others are published to test it by; evidence is one payload of the source and what its pledge maps, no landing page and no judgement by hand or model; every signal weighs four points of a fixed hundred, so that a source that cannot carry a signal has a lower cap; observed use is what the source itself counts; and a dataset with too little evidence has no total.",
};

/** Returns the reason why scores under a contract are not comparable with other scores of the same version; otherwise null. */
export function explainIncomparability(contract: string): string | null {
  return NOT_COMPARABLE[contract] ?? null;
}
