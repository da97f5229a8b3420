/** The release in which a disputed signal was mended, with the way to what moved in it while there is one. */

import type { ScoreRelease } from "../../../schemas/public/release.ts";
import { type Html, html } from "../../html.ts";
import type { StillThere } from "./still-there.ts";

export function mendedIn(
  { scoreReleaseVersion, releaseDigest }: ScoreRelease,
  { releases }: Pick<StillThere, "releases">,
): Html {
  const page = releases.get(releaseDigest);
  if (page === undefined) return html`${scoreReleaseVersion}, which is kept here no more`;
  return html`<a href="${page}">${scoreReleaseVersion}</a>`;
}
