/** The excerpts of a release on the pages of each public version: its coverage counts what has no total under that version. */

import type { Receipt, ReleaseExcerpt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { coverageUnder } from "./coverage-under.ts";

type Excerpted = Pick<
  Receipt,
  "scoreReleaseVersion" | "releaseDigest" | "publishedAt" | "asOf" | "coverage" | "rubrics"
>;

/** Excerpts by public version, in the order of the receipt. */
export function rubricExcerpts(receipt: Excerpted): (readonly [PublicVersion, ReleaseExcerpt])[] {
  const { scoreReleaseVersion, releaseDigest, publishedAt, asOf } = receipt;
  return receipt.rubrics.map((rubric) => {
    const coverage = coverageUnder(receipt.coverage, rubric);
    return [rubric.version, { scoreReleaseVersion, releaseDigest, publishedAt, asOf, rubric, coverage }] as const;
  });
}
