/** The way through a long list: where one is, and the pages before and after. */

import { type Html, html } from "../../api-static/html/html.ts";
import type { Pagination } from "../../schemas/public/api/common.ts";
import { whole } from "./figures.ts";

export type Fields = Readonly<Record<string, string>>;

/** The address of a list with some fields set; those that are empty are left out. */
export function addressOf(path: string, fields: Fields): string {
  const text = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== "")).toString();
  return text === "" ? path : `${path}?${text}`;
}

export function pager(path: string, fields: Fields, { page, totalPages, hasNext, hasPrev }: Pagination): Html | null {
  if (totalPages <= 1) return null;
  const to = (number: number) => addressOf(path, { ...fields, page: String(number) });
  return html`<nav class="pager" aria-label="Pages">${
    hasPrev ? html`<a class="button quiet" rel="prev" href="${to(Math.min(page - 1, totalPages))}">Previous</a>` : null
  }<span>Page ${whole(page)} of ${whole(totalPages)}</span>${
    hasNext ? html`<a class="button quiet" rel="next" href="${to(page + 1)}">Next</a>` : null
  }</nav>`;
}
