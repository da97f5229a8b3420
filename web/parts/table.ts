/** A table that can be read on a narrow screen: it scrolls by itself, by keyboard too. */

import { type Html, html, type Part } from "../../api-static/html/html.ts";

export interface Column {
  readonly name: string;
  /** Figures stand to the right. */
  readonly isNumber?: boolean;
}

/** `rows`: cells in the order of the columns; the first names its row. */
export function table(caption: string, columns: readonly Column[], rows: readonly (readonly Part[])[]): Html {
  const look = (i: number) => (columns[i]?.isNumber === true ? html` class="num"` : null);
  return html`<div class="table" role="region" aria-label="${caption}" tabindex="0"><table><caption>${caption}</caption>
<thead><tr>${columns.map(({ name }, i) => html`<th scope="col"${look(i)}>${name}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells) =>
      html`<tr>${cells.map((cell, i) =>
        i === 0 ? html`<th scope="row"${look(i)}>${cell}</th>` : html`<td${look(i)}>${cell}</td>`,
      )}</tr>\n`,
  )}</tbody></table></div>`;
}
