/** The envelope of every paginated list. */

import type { Pagination } from "../../schemas/public/api/common.ts";
import type { ScoreRelease } from "../../schemas/public/release.ts";

export interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly pagination: Pagination;
  readonly _meta: { readonly scoreRelease: ScoreRelease };
}

/** Where a page stands among `total` rows. */
export interface PagePlace {
  readonly total: number;
  readonly page: number;
  readonly limit: number;
}

/** One page of a list: its rows, where it stands among `total`, and the release it is from. */
export function listPage<Row>(data: readonly Row[], at: PagePlace, release: ScoreRelease): ListPage<Row> {
  return {
    data,
    pagination: paginationOf(at),
    _meta: {
      scoreRelease: { scoreReleaseVersion: release.scoreReleaseVersion, releaseDigest: release.releaseDigest },
    },
  };
}

/** Where the answer to a cursor stands: `before` rows come first, and `next` is the cursor of those behind it. */
export interface CursorPlace {
  readonly total: number;
  readonly limit: number;
  readonly before: number;
  readonly next: string | null;
}

/** The answer to a cursor: its page is the one that its first row is on, at this limit. */
export function cursorPage<Row>(data: readonly Row[], at: CursorPlace, release: ScoreRelease): ListPage<Row> {
  const { total, limit, before, next } = at;
  const page = Math.floor(before / limit) + 1;
  const pagination = {
    ...paginationOf({ total, limit, page }),
    hasNext: next !== null,
    hasPrev: before > 0,
    nextCursor: next,
  };
  return { ...listPage(data, { total, limit, page }, release), pagination };
}

export function paginationOf({ total, page, limit }: PagePlace): Pagination {
  const totalPages = Math.ceil(total / limit);
  return { total, page, limit, totalPages, hasNext: page < totalPages, hasPrev: page > 1 };
}
