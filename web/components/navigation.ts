/** Links between pages: addresses of lists, the way through a long one, and the SHARE version that a page is read under. */

import type { Pagination } from "../../schemas/public/api/common.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { type Html, html } from "../html.ts";
import { whole } from "./figures.ts";

export type Fields = Readonly<Record<string, string>>;

/** The address of a list with some fields set; those that are empty are left out. */
export function addressOf(path: string, fields: Fields): string {
  const text = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== "")).toString();
  return text === "" ? path : `${path}?${text}`;
}

/** One of several lists of a page: its field in the address, and where on the page it is. */
interface Turned {
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

const [CURRENT] = PUBLIC_VERSIONS;

/** The address under this version. The first is asked for without naming it; `path` may end in a fragment, and has no query. */
export function underVersion(path: string, version: string): string {
  if (version === CURRENT) return path;
  const [place = "", fragment] = path.split("#");
  return `${place}?rubric=${version}${fragment === undefined ? "" : `#${fragment}`}`;
}

/** Says that a page is of an older version, and leads to the same of the current one, or what `words` say. */
export function olderVersion(version: string, path: string, words = "The same"): Html | null {
  if (version === CURRENT) return null;
  return html`<p class="note">This is SHARE ${version}, the older version. <a href="${path}">${words} under SHARE ${CURRENT}</a></p>`;
}
