/** The frame of every page: its head, a way past the navigation, and the name of the service. */

import { type Html, html, type Part } from "./html.ts";
import { STYLE } from "./style.ts";

/** SHARE in five blocks: a mark that needs no image. */
export const LETTERS: Html = html`<ul class="letters" aria-hidden="true">${[..."SHARE"].map(
  (letter) => html`<li>${letter}</li>`,
)}</ul>`;

export interface Page {
  readonly title: string;
  /** For search engines and previews. */
  readonly description: string;
  /** Rules of this page alone. */
  readonly style?: Html;
  readonly body: Part;
}

/** The whole document. */
export function page({ title, description, style, body }: Page): string {
  return `${
    html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
<style>${STYLE}${style ?? null}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${body}
</body>
</html>`.text
  }\n`;
}
