/** The way through a long list: where one is, and the pages before and after. */

import type { Pagination } from "../../schemas/public/api/common.ts";
import { type Html, html } from "../html.ts";
import { whole } from "./figures.ts";

export type Fields = Readonly<Record<string, string>>;

/** The address of a list with some fields set; those that are empty are left out. */
export function addressOf(path: string, fields: Fields): string {
  const text = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== "")).toString();
  return text === "" ? path : `${path}?${text}`;
}

/** One of several lists of a page: its field in the address, and where on the page it is. */
export interface Turned {
  readonly name: string;
  readonly anchor: string;
}

export function pager(
  path: string,
  fields: Fields,
  { page, totalPages, hasNext, hasPrev }: Pagination,
  { name, anchor }: Turned = { name: "page", anchor: "" },
): Html | null {
  if (totalPages <= 1 && !hasPrev) return null;
  const hash = anchor === "" ? "" : `#${anchor}`;
  const last = Math.max(1, totalPages);
  const to = (number: number) => `${addressOf(path, { ...fields, [name]: String(number) })}${hash}`;
  return html`<nav class="pager" aria-label="${anchor === "" ? "Pages" : `Pages of ${anchor}`}">${
    hasPrev ? html`<a class="button quiet" rel="prev" href="${to(Math.min(page - 1, last))}">Previous</a>` : null
  }<span>${page > last ? `There is no page ${whole(page)}` : `Page ${whole(page)} of ${whole(last)}`}</span>${
    hasNext ? html`<a class="button quiet" rel="next" href="${to(page + 1)}">Next</a>` : null
  }</nav>`;
}
