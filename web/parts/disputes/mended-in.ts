/** The release in which a disputed signal was mended, with the way to what moved in it. */

import { type Html, html } from "../../../api-static/html/html.ts";
import type { ScoreRelease } from "../../../schemas/public/release.ts";

export function mendedIn({ scoreReleaseVersion, releaseDigest }: ScoreRelease): Html {
  return html`<a href="/history/${releaseDigest.replace(":", "-")}">${scoreReleaseVersion}</a>`;
}
