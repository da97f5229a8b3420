/** Which of the releases and contracts that disputes name have a page now. */

import { z } from "zod";
import { readPageOrNull } from "../../../api-static/pages/read-page.ts";
import { releaseDiff } from "../../../schemas/public/api/diff.ts";
import type { ScoreRelease } from "../../../schemas/public/release.ts";
import type { StillThere } from "../../../web/parts/disputes/still-there.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import { ClientGone } from "../../read/queries/overload.ts";
import type { OpenRelease } from "../../read/release/open-release.ts";
import type { Asking } from "./asking.ts";
import type { SiteContext } from "./context.ts";

type Log = SiteContext["log"];

/** `release`: the active one, as it was when the disputes were asked for. */
export async function stillThere(
  disputes: readonly { readonly mendedIn: ScoreRelease | null }[],
  api: Asking,
  { release, log }: { readonly release: Pick<OpenRelease, "receipt"> | null; readonly log: Log },
): Promise<StillThere> {
  const digests = new Set(disputes.flatMap(({ mendedIn }) => (mendedIn === null ? [] : [mendedIn.releaseDigest])));
  const pages = await Promise.all(
    [...digests].map(async (digest) => [digest, await pageOf(digest, api, log)] as const),
  );
  return {
    releases: new Map(pages.flatMap(([digest, page]) => (page === null ? [] : [[digest, page]]))),
    versions: new Map((release?.receipt.rubrics ?? []).map(({ contract, version }) => [contract, version])),
  };
}

/**
 * Where it cannot be shown what moved in a release, the page of all releases; null for one that was pruned. One that is
 * damaged is the operator's to hear of, and takes no page from who reads.
 */
async function pageOf(digest: string, api: Asking, log: Log): Promise<string | null> {
  const key = digest.replace(":", "-");
  try {
    const diff = await api.getUnless(["not-found"], z.unknown(), "release-diff", { key });
    // Another program may have written it.
    return readPageOrNull(releaseDiff, diff) !== null ? `/history/${key}` : "/history";
  } catch (error) {
    if (error instanceof ProblemError && error.type === "release-not-found") return null;
    if (error instanceof ClientGone) throw error;
    log({ level: "error", event: "release-unreadable", release: digest, message: String(error) });
    return "/history";
  }
}
