/** What a site is told of how to embed a page, as XML (oEmbed 1.0, 2.3.4.4): the members of the JSON, each an element. */

import { type Html, html } from "../../api-static/html/html.ts";
import type { Oembed } from "../../schemas/public/site/embeds.ts";

/** What XML 1.0 cannot hold, however it is written (2.2). */
const UNWRITABLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** The whole document. */
export function oembedXml(answer: Oembed): string {
  return `<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n${
    html`<oembed>
${Object.entries(answer).map(([name, value]) => element(name, String(value)))}</oembed>`.text
  }\n`;
}

function element(name: string, value: string): Html {
  return html`<${name}>${value.toWellFormed().replace(UNWRITABLE, " ")}</${name}>\n`;
}
