/** A table that can be read on a narrow screen: if it has figures it scrolls by itself, by keyboard too. */

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

/** A column of figures. */
export function numbers(name: string): Column {
  return { name, isNumber: true };
}

/** A name and a few figures: they would stand far apart in a table as wide as the page. */
function isNarrow(columns: readonly Column[]): boolean {
  if (columns.some(({ isLong }) => isLong === true)) return false;
  return columns.length <= 3 && columns.slice(1).every(({ isNumber }) => isNumber === true);
}

/** On a narrow screen, columns of sentences share what there is; tables with figures scroll. */
function classOf(columns: readonly Column[]): string {
  if (isNarrow(columns)) return "table few";
  return columns.some(({ isNumber, isBar }) => isNumber === true || isBar === true) ? "table" : "table words";
}

/**
 * `columns`: a name alone is a column of words; the first names its row. `rows`: cells in the order of the columns.
 * `sorted`: whether a script may sort it: all there is stands in it, and not a page of more.
 */
export function table(
  caption: string,
  columns: readonly (Column | string)[],
  rows: readonly (readonly Part[])[],
  sorted = false,
): Html {
  if (rows.length === 0) return html`<p class="muted">None.</p>`;
  const all = columns.map((column): Column => (typeof column === "string" ? { name: column } : column));
  const look = (i: number) => {
    if (all[i]?.isNumber === true) return html` class="num"`;
    return all[i]?.isBar === true ? html` class="bar"` : null;
  };
  const kind = classOf(all);
  const scrolls = kind === "table words" ? null : html` role="region" aria-label="${caption}" tabindex="0"`;
  return html`<div class="${kind}"${scrolls}><table${sorted ? html` data-sort` : null}><caption>${caption}</caption>
<thead><tr>${all.map(({ name }, i) => html`<th scope="col"${look(i)}>${name}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells) =>
      html`<tr>${cells.map((cell, i) =>
        i === 0 ? html`<th scope="row"${look(i)}>${cell}</th>` : html`<td${look(i)}>${cell}</td>`,
      )}</tr>\n`,
  )}</tbody></table></div>`;
}
