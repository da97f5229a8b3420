/** The frame that shows a card on somebody's own page. */

import { type Html, html } from "../../api-static/html/html.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { FRAME, type Theme } from "../../schemas/public/site/embeds.ts";

export interface CardFrame {
  readonly origin: string;
  /** Path of the page that the card leads to, without its version. */
  readonly page: string;
  /** What is said where the frame is not shown. */
  readonly words: string;
  /** The current one unless said. */
  readonly version?: PublicVersion;
  readonly theme?: Theme;
  readonly width?: number;
}

export function cardFrame({
  origin,
  page,
  words,
  version = PUBLIC_VERSIONS[0],
  theme = "auto",
  width = FRAME.width,
}: CardFrame): Html {
  const query = new URLSearchParams({
    ...(version === PUBLIC_VERSIONS[0] ? {} : { rubric: version }),
    ...(theme === "auto" ? {} : { theme }),
  }).toString();
  return html`<iframe src="${origin}/widgets${page}/card${query === "" ? "" : `?${query}`}" title="${words}" width="${width}" height="${FRAME.height}" style="border:0;border-radius:8px;max-width:100%" loading="lazy"></iframe>`;
}
