/** /history and /history/{digest}. */

import { releaseDiff } from "../../../schemas/public/api/diff.ts";
import { metricsHistory } from "../../../schemas/public/api/metrics.ts";
import { releaseList } from "../../../schemas/public/api/service.ts";
import type { View } from "../../../web/frame/view.ts";
import { movementView } from "../../../web/pages/movement.ts";
import { releasesView } from "../../../web/pages/releases.ts";
import type { ActiveRelease } from "../../read/release/active-release.ts";
import type { Asking } from "../making/asking.ts";

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
