/** releases.json at the target: what `/releases` of the service answers, so that a copy can be mirrored by its address alone. */

import { type ReleaseExcerpt, releaseExcerpt } from "../../api-static/pages/release-excerpt.ts";
import { releaseList } from "../../schemas/public/api/service.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { Retraction } from "../../schemas/public/retraction.ts";
import type { Target } from "./target/target.ts";

export const RELEASE_LIST = "releases.json";

/**
 * The list with this release as the active one; what is no longer there leaves it. What was said of a release when it was
 * withdrawn stays, whether the store that publishes knows of it or not.
 */
export async function releaseListText(
  target: Target,
  receipt: Receipt,
  before: string | null,
  retractions: ReadonlyMap<string, Retraction>,
): Promise<string> {
  const listed = listOf(before);
  const said = (digest: string) =>
    retractions.get(digest) ?? listed.find(({ releaseDigest }) => releaseDigest === digest)?.retraction ?? null;
  const others: ReleaseExcerpt[] = [];
  for (const summary of listed) {
    if (summary.releaseDigest === receipt.releaseDigest) continue;
    const there = (await target.place(summary.releaseDigest).receipt()) !== null;
    if (there) others.push({ ...summary, active: false, retraction: said(summary.releaseDigest) });
  }
  const own = releaseExcerpt(receipt, receipt.releaseDigest, said(receipt.releaseDigest));
  const newestFirst = [own, ...others].sort((one, other) =>
    one.publishedAt > other.publishedAt ? -1 : one.publishedAt < other.publishedAt ? 1 : 0,
  );
  return `${JSON.stringify(newestFirst)}\n`;
}

/** A list that cannot be read is begun anew. */
function listOf(text: string | null): readonly ReleaseExcerpt[] {
  try {
    return releaseList.parse(JSON.parse(text ?? "[]"));
  } catch {
    return [];
  }
}
