/** The frame that shows a dataset's card on somebody's own page. */

import { type Html, html } from "../../api-static/html/html.ts";
import { FRAME, type Theme } from "../../schemas/public/site/embeds.ts";

export interface CardFrame {
  readonly origin: string;
  readonly id: string;
  /** What is said where the frame is not shown. */
  readonly words: string;
  readonly theme?: Theme;
  readonly width?: number;
}

export function cardFrame({ origin, id, words, theme = "auto", width = FRAME.width }: CardFrame): Html {
  const query = theme === "auto" ? "" : `?theme=${theme}`;
  return html`<iframe src="${origin}/widgets/datasets/${id}/card${query}" title="${words}" width="${width}" height="${FRAME.height}" loading="lazy"></iframe>`;
}
