/** A badge inside a page. */

import { Html, html } from "../html/html.ts";

/** The ids of every badge are the same; several in one page need their own, by a place that no other has. */
export function picture(svg: string, place: string): Html {
  const own = svg.replace(/\bid="(\w+)"/g, `id="$1-${place}"`).replace(/url\(#(\w+)\)/g, `url(#$1-${place})`);
  return html`<figure><figcaption>image/svg+xml</figcaption><p class="badge">${new Html(own.trim())}</p></figure>\n`;
}
