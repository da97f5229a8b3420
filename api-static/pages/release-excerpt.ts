/** The excerpt of a release that lists of releases show. */

import type { z } from "zod";
import type { releaseList } from "../../schemas/public/api/service.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { Retraction } from "../../schemas/public/retraction.ts";

export type ReleaseExcerpt = z.infer<typeof releaseList>[number];

/** `active`: digest of the release that is served; null where there is none. */
export function releaseExcerpt(receipt: Receipt, active: string | null, retraction: Retraction | null): ReleaseExcerpt {
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
    retraction,
  };
}
