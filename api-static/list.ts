/** The envelope of every paginated list. */

import type { Pagination } from "../schemas/api/common.ts";
import type { ScoreRelease } from "../schemas/release.ts";

export interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly pagination: Pagination;
  readonly _meta: { readonly scoreRelease: ScoreRelease };
}

/** One page of a list: its rows, where it stands among `total`, and the release it is from. */
export function listPage<Row>(
  data: readonly Row[],
  at: { readonly total: number; readonly page: number; readonly limit: number },
  release: ScoreRelease,
): ListPage<Row> {
  const totalPages = Math.ceil(at.total / at.limit);
  return {
    data,
    pagination: {
      total: at.total,
      page: at.page,
      limit: at.limit,
      totalPages,
      hasNext: at.page < totalPages,
      hasPrev: at.page > 1,
    },
    _meta: {
      scoreRelease: { scoreReleaseVersion: release.scoreReleaseVersion, releaseDigest: release.releaseDigest },
    },
  };
}
