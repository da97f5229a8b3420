/** Tables. On phones, a table is a list of cards. A table with figures that is too wide scrolls, also by keyboard. */

import { type Html, type HtmlPart, html } from "../html.ts";

export interface TableColumn {
  readonly name: string;
  /** True for a column of figures, which are aligned right. */
  readonly isNumber?: boolean;
  /** True for a column of sentences, which needs the full width. */
  readonly isLong?: boolean;
  /** True for a column of bars that repeat the figures beside them. */
  readonly isBar?: boolean;
  /** The URL of the list in the order of this column, and the present order of the list, if it is by this column. */
  readonly sort?: { readonly href: string; readonly now: "ascending" | "descending" | null };
}

/** The order of a list: a sort key of the API, and the direction. */
export interface ListOrder {
  readonly by: string;
  readonly direction: "asc" | "desc";
}

/**
 * Returns the link of a column head. The first click sorts in the usual direction of the column, and the next click in
 * the opposite direction.
 */
export function columnSort(
  by: string,
  usual: ListOrder["direction"],
  now: ListOrder,
  href: (order: ListOrder) => string,
): NonNullable<TableColumn["sort"]> {
  const other = usual === "asc" ? "desc" : "asc";
  const isOwn = now.by === by;
  return {
    href: href({ by, direction: isOwn && now.direction === usual ? other : usual }),
    now: isOwn ? (now.direction === "asc" ? "ascending" : "descending") : null,
  };
}

export function numberColumn(name: string): TableColumn {
  return { name, isNumber: true };
}

/** True if the table has one column of words and at most two of figures, which would be too far away at full width. */
function isNarrow(columns: readonly TableColumn[]): boolean {
  if (columns.some(({ isLong }) => isLong === true)) return false;
  return columns.length <= 3 && columns.slice(1).every(({ isNumber }) => isNumber === true);
}

/**
 * Returns the CSS classes. On phones, tables with several columns show each row as a card with the names of its columns; on
 * other narrow screens, columns of sentences share the width, and tables with figures scroll.
 */
function buildClassNames(columns: readonly TableColumn[]): string {
  if (isNarrow(columns)) return "table few";
  const kind = columns.some(({ isNumber, isBar }) => isNumber === true || isBar === true) ? "table" : "table words";
  return columns.length > 2 ? `${kind} cards` : kind;
}

function renderOrder(sort: TableColumn["sort"]): Html | null {
  return sort === undefined || sort.now === null ? null : html` aria-sort="${sort.now}"`;
}

/**
 * Returns a table. A string in `columns` is the name of a column of words, and the first column has the row headers.
 * `rows` has the cells in the order of the columns. `isSortable` is true if a script may sort the table, which must
 * then have all rows.
 */
export function table(
  caption: string,
  columns: readonly (TableColumn | string)[],
  rows: readonly (readonly HtmlPart[])[],
  isSortable = false,
): Html {
  if (rows.length === 0) return html`<p class="muted">None.</p>`;
  const all = columns.map((column): TableColumn => (typeof column === "string" ? { name: column } : column));
  const look = (i: number) => {
    if (all[i]?.isNumber === true) return html` class="num"`;
    return all[i]?.isBar === true ? html` class="bar"` : all[i]?.isLong === true ? html` class="long"` : null;
  };
  const kind = buildClassNames(all);
  const renderName = (i: number) => (kind.endsWith("cards") ? html` data-name="${all[i]?.name ?? ""}"` : null);
  const scrolls = kind.startsWith("table words") ? null : html` role="region" aria-label="${caption}" tabindex="0"`;
  return html`<div class="${kind}"${scrolls}><table${isSortable ? html` data-sort` : null}><caption>${caption}</caption>
<thead><tr>${all.map(({ name, sort }, i) => html`<th scope="col"${look(i)}${renderOrder(sort)}>${sort === undefined ? name : html`<a class="sort" href="${sort.href}">${name}</a>`}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells) =>
      html`<tr>${cells.map((cell, i) =>
        i === 0 ? html`<th scope="row"${look(i)}>${cell}</th>` : html`<td${look(i)}${renderName(i)}>${cell}</td>`,
      )}</tr>\n`,
  )}</tbody></table></div>`;
}
