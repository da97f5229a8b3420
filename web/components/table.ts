/** A table that can be read on a narrow screen: it scrolls by itself, by keyboard too. */

import { type Html, html, type Part } from "../html.ts";

export interface Column {
  readonly name: string;
  /** Figures stand to the right. */
  readonly isNumber?: boolean;
  /** Whole sentences, which need the width of the page. */
  readonly isLong?: boolean;
  /** A drawing that repeats the figures beside it. */
  readonly isBar?: boolean;
}

export interface Rows {
  readonly columns: readonly Column[];
  /** Cells in the order of the columns; the first names its row. */
  readonly rows: readonly (readonly Part[])[];
}

/** A name and a few figures: they would stand far apart in a table as wide as the page. */
function isNarrow(columns: Rows["columns"]): boolean {
  if (columns.some(({ isLong }) => isLong === true)) return false;
  return columns.length <= 3 && columns.slice(1).every(({ isNumber }) => isNumber === true);
}

/** On a narrow screen, columns of sentences share what there is; tables with figures scroll. */
function classOf(columns: Rows["columns"]): string {
  if (isNarrow(columns)) return "table few";
  return columns.some(({ isNumber, isBar }) => isNumber === true || isBar === true) ? "table" : "table words";
}

/** `sorted`: whether a script may sort it: all there is stands in it, and not a page of more. */
export function table(caption: string, columns: Rows["columns"], rows: Rows["rows"], sorted = false): Html {
  const look = (i: number) => {
    if (columns[i]?.isNumber === true) return html` class="num"`;
    return columns[i]?.isBar === true ? html` class="bar"` : null;
  };
  return html`<div class="${classOf(columns)}" role="region" aria-label="${caption}" tabindex="0"><table${sorted ? html` data-sort` : null}><caption>${caption}</caption>
<thead><tr>${columns.map(({ name }, i) => html`<th scope="col"${look(i)}>${name}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells) =>
      html`<tr>${cells.map((cell, i) =>
        i === 0 ? html`<th scope="row"${look(i)}>${cell}</th>` : html`<td${look(i)}>${cell}</td>`,
      )}</tr>\n`,
  )}</tbody></table></div>`;
}
