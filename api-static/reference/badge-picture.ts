/** A badge inside a page. */

import { Html, html } from "../html/html.ts";

/** The ids of every badge are the same; several in one page need their own. */
export function picture(svg: string): Html {
  const name = /<title>([^<]*)<\/title>/.exec(svg)?.[1] ?? "";
  const suffix = name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const own = svg.replace(/\bid="(\w+)"/g, `id="$1-${suffix}"`).replace(/url\(#(\w+)\)/g, `url(#$1-${suffix})`);
  return html`<figure><figcaption>image/svg+xml</figcaption><p class="badge">${new Html(own.trim())}</p></figure>\n`;
}
