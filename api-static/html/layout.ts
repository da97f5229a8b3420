/** The document around every page, those of the site too: its head, its style, and a way past the navigation. */

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
  /** Rules of this page alone, after those that all have. */
  readonly style?: Html;
  /** The element that brings the style, of pages that have one of their own. */
  readonly look?: Html;
  /** What else stands in the head, before the style. */
  readonly head?: Part;
  readonly body: Part;
}

/** The whole document. */
export function page({ title, description, style, look, head, body }: Page): string {
  return `${
    html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
${head === undefined ? null : [head, html`\n`]}${look ?? html`<style>${STYLE}${style ?? null}</style>`}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${body}
</body>
</html>`.text
  }\n`;
}
