/** A badge inside a page. */

import { Html, html } from "../html.ts";

/** The ids of every badge are the same; several in one page need their renamed, by a place that no other has. */
export function picture(svg: string, suffix: string): Html {
  const renamed = svg.replace(/\bid="(\w+)"/g, `id="$1-${suffix}"`).replace(/url\(#(\w+)\)/g, `url(#$1-${suffix})`);
  return html`<figure><figcaption>image/svg+xml</figcaption><p class="badge">${new Html(renamed.trim())}</p></figure>\n`;
}
