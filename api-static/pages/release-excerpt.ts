/** The excerpt of a release that lists of releases show. */

import type { z } from "zod";
import type { releaseList } from "../../schemas/public/api/service.ts";
import type { Receipt } from "../../schemas/public/release.ts";

export type ReleaseExcerpt = z.infer<typeof releaseList>[number];

/** What was said of a release since it was made. */
export type SaidOfRelease = Pick<ReleaseExcerpt, "retraction" | "keyRevoked">;

/** `active`: digest of the release that is served; null where there is none. */
export function releaseExcerpt(receipt: Receipt, active: string | null, said: SaidOfRelease): ReleaseExcerpt {
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
    ...said,
  };
}
