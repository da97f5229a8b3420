/** releases.json at the target: what `/releases` of the service answers, so that a copy can be mirrored by its address alone. */

import { type ReleaseExcerpt, releaseExcerpt, type SaidOfRelease } from "../../api-static/pages/release-excerpt.ts";
import { disownedText } from "../../pipeline/store/disowned.ts";
import type { TrustedKey } from "../../pipeline/store/signing/check-signature.ts";
import { releaseList } from "../../schemas/public/api/service.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { Retraction } from "../../schemas/public/retraction.ts";
import type { Target } from "./target/target.ts";

export const RELEASE_LIST = "releases.json";

/**
 * The list with this release as the active one; what is no longer there leaves it. What was said of a release when it was
 * withdrawn, or its key revoked, stays, whether the store that publishes knows of it or not.
 */
export async function releaseListText(
  target: Target,
  receipt: Receipt,
  before: string | null,
  retractions: ReadonlyMap<string, Retraction>,
  keys: readonly TrustedKey[],
): Promise<string> {
  const listed = listOf(before);
  const said = async (digest: string, receiptText: string | null): Promise<SaidOfRelease> => {
    const earlier = listed.find(({ releaseDigest }) => releaseDigest === digest);
    return {
      retraction: retractions.get(digest) ?? earlier?.retraction ?? null,
      keyRevoked: (receiptText === null ? null : await disownedText(receiptText, keys)) ?? earlier?.keyRevoked ?? null,
    };
  };
  const others: ReleaseExcerpt[] = [];
  for (const summary of listed) {
    if (summary.releaseDigest === receipt.releaseDigest) continue;
    const text = await target.place(summary.releaseDigest).receipt();
    if (text !== null) others.push({ ...summary, active: false, ...(await said(summary.releaseDigest, text)) });
  }
  const { releaseDigest } = receipt;
  const saidOfOwn = await said(releaseDigest, await target.place(releaseDigest).receipt());
  const own = releaseExcerpt(receipt, releaseDigest, saidOfOwn);
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
