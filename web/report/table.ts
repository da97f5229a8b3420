/** Tables of the report: a caption, a head, and the first cell of a row as its name. */

import { type Html, html, type Part } from "../html.ts";

/**
 * The caption is for screen readers: a heading says the same. Columns after the first are figures, but the last where it
 * is said to be text.
 */
export function table(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly Part[])[],
  last: "figure" | "text" = "figure",
): Html {
  if (rows.length === 0) return html`<p class="none">None.</p>`;
  return html`<div class="wide ${last}"><table><caption>${caption}</caption>
<thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([name = null, ...cells]) =>
      html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`,
  )}</tbody></table></div>`;
}
