/** The document around every page, those of the site too: its head, its style, and a way past the navigation. */

import { type Html, html, type Part } from "../html.ts";
import { STYLE } from "./base-style.ts";

/** The mark: five bars, each a little higher, for the five buckets. */
export const MARK: Html = html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#0b5a6e"/><path fill="#fff" d="M5 19h3v7H5zM10 16h3v10h-3zM15 12h3v14h-3zM20 9h3v17h-3zM25 6h3v20h-3z"/></svg>`;

/** Mark and name above a page that has no navigation, the same as above those that have. */
export const BRAND: Html = html`<p class="brand">${MARK} SHARE</p>`;

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
