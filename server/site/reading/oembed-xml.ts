/** What a site is told of how to embed a page, as XML (oEmbed 1.0, 2.3.4.4): the members of the JSON, each an element. */

import { html } from "../../../api-static/html/html.ts";
import { xmlDocument } from "../../../api-static/html/xml.ts";
import type { Oembed } from "../../../schemas/public/site/embeds.ts";

/** The whole document. */
export function oembedXml(answer: Oembed): string {
  const elements = Object.entries(answer).map(([name, value]) => html`<${name}>${String(value)}</${name}>\n`);
  return xmlDocument(html`<oembed>\n${elements}</oembed>`, ' standalone="yes"');
}
