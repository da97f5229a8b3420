/** /history, /history/{digest} and /history.atom. */

import type { z } from "zod";
import { ATOM_TYPE, CACHE } from "../../api-static/routes/route.ts";
import { releaseDiff } from "../../schemas/public/api/diff.ts";
import { metricsHistory } from "../../schemas/public/api/metrics.ts";
import { releaseList } from "../../schemas/public/api/service.ts";
import type { View } from "../../web/components/document.ts";
import { movementView } from "../../web/views/movement.ts";
import { releasesView } from "../../web/views/releases.ts";
import { releasesFeed } from "../../web/views/releases-feed.ts";
import type { Asked } from "../http/add-routes.ts";
import { type Answer, contentAnswer } from "../http/answer.ts";
import type { ActiveRelease } from "../read/release/active-release.ts";
import type { Asking, SiteContext } from "./page-handler.ts";

/** Who reads a feed for the first time has no use for more. */
const MOST_ENTRIES = 30;

/** Of a release that was made before there were diffs, or whose folder is gone since. */
const NO_DIFF = ["not-found", "release-not-found"];

export async function makeReleases(api: Asking): Promise<View> {
  const releases = await api.get(releaseList, "releases");
  const history = await api.getUnless(["history-not-published", "no-release"], metricsHistory, "history");
  return releasesView(releases, history ?? []);
}

/** `digest` as addresses write it; `latest` is led on by the address of the API. What is said of the active one stands on every page. */
export async function makeMovement(
  digest: string,
  api: Asking,
  { digest: active, retractions }: Pick<ActiveRelease, "digest" | "retractions">,
): Promise<View> {
  const named = digest === "latest" && active !== null ? active.replace(":", "-") : digest.replace(":", "-");
  const asked = named.replace("-", ":");
  const said = asked === active ? null : (retractions.get(asked) ?? null);
  return movementView(await api.get(releaseDiff, "release-diff", { key: named }), named, said);
}

/** Made anew where a release came or was retracted, as the pages are. */
export async function makeFeed(
  { request }: Asked<"releases-feed">,
  api: Asking,
  { kept, signIn }: Pick<SiteContext, "kept" | "signIn">,
): Promise<Answer> {
  const { moment } = kept;
  const releases = announced(await api.get(releaseList, "releases")).slice(0, MOST_ENTRIES);
  const entries = await Promise.all(
    releases.map(async (release) => {
      const question = { key: release.releaseDigest.replace(":", "-") };
      return { release, diff: await api.getUnless(NO_DIFF, releaseDiff, "release-diff", question) };
    }),
  );
  const text = releasesFeed(entries, signIn.site.origin);
  const answer = contentAnswer(Buffer.from(text), ATOM_TYPE, CACHE.page);
  kept.set(request.target, answer, moment);
  return answer;
}

/** The active one, those it follows, and what was retracted: one that was only built is no news. */
function announced(releases: z.infer<typeof releaseList>): z.infer<typeof releaseList> {
  const before = new Map(releases.map(({ releaseDigest, previousReleaseDigest: digest }) => [releaseDigest, digest]));
  const chain = new Set<string>();
  let at = releases.find(({ active }) => active)?.releaseDigest ?? null;
  while (at !== null && !chain.has(at)) {
    chain.add(at);
    at = before.get(at) ?? null;
  }
  return releases.filter(({ releaseDigest, retraction }) => chain.has(releaseDigest) || retraction !== null);
}
