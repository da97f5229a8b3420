/** Links between views: filtered lists, pagination, and views under another SHARE version. */

import type { Pagination } from "../../schemas/public/api/common.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import type { Suggestion } from "../../schemas/public/site/queries.ts";
import { type Html, html } from "../html.ts";
import { t } from "../languages/translate.ts";
import { integer } from "./figures.ts";
import { hiddenInputs } from "./forms.ts";

export type QueryFields = Readonly<Record<string, string>>;

export function addQuery(path: string, fields: QueryFields): string {
  const text = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== "")).toString();
  return text === "" ? path : `${path}?${text}`;
}

/** Adds the SHARE version to the parameters of a list. The current version needs no parameter. */
export function addRubric(fields: QueryFields, version: PublicVersion): QueryFields {
  return version === PUBLIC_VERSIONS[0] ? fields : { ...fields, rubric: version };
}

/** Returns a list of suggestions; null if there are none. By default, `words` above it suit a search without results. */
export function suggestionList(suggested: readonly Suggestion[], words = t("Did you mean")): Html | null {
  if (suggested.length === 0) return null;
  return html`<p>${words}:</p><ul>${suggested.map(({ group, name, note, path }) => {
    const about = [group === "Did you mean" ? "" : group, note].filter((part) => part !== "");
    return html`<li><a href="${path}"><bdi>${name}</bdi></a> <span class="muted">${about.join(" · ")}</span></li>`;
  })}</ul>`;
}

interface ListPosition {
  /** The query parameter with the number of the page. If a view has several lists, each needs its own parameter. */
  readonly name?: string;
  readonly anchor?: string;
  /** True if the user can choose the number of rows. */
  readonly sizes?: boolean;
}

/** The numbers of rows on a page that the user can choose. */
const SIZES = [20, 50, 100];

/** From this number of pages on, a field lets the user open any page. */
const MIN_FOR_FIELD = 4;

/** Greatest page number of the API. */
const MAX_PAGES = 10_000;

/** Returns links to the pages near this one, a field to open any other page, and a choice of the number of rows. */
export function pager(
  path: string,
  fields: QueryFields,
  { page, totalPages, hasNext, hasPrev, limit, total }: Pagination,
  { name = "page", anchor = "", sizes = false }: ListPosition = {},
): Html | null {
  const choices = sizes && total > Math.min(...SIZES) ? rowsLinks(path, fields, limit, name) : null;
  if (totalPages <= 1 && !hasPrev) return choices;
  const hash = anchor === "" ? "" : `#${anchor}`;
  const last = Math.max(1, totalPages);
  const to = (number: number) => `${addQuery(path, { ...fields, [name]: String(number) })}${hash}`;
  const others = Object.fromEntries(Object.entries(fields).filter(([field, value]) => field !== name && value !== ""));
  return html`<nav class="pager" aria-label="${anchor === "" ? t("Pages") : t`Pages of ${anchor === "datasets" ? t("datasets") : anchor}`}">${
    hasPrev ? html`<a class="button quiet" rel="prev" href="${to(Math.min(page - 1, last))}">Previous</a>` : null
  }<span>${page > last ? t`Page ${integer(page)} does not exist` : t`Page ${integer(page)} of ${integer(last)}`}</span>${
    hasNext ? html`<a class="button quiet" rel="next" href="${to(page + 1)}">Next</a>` : null
  }${
    last < MIN_FOR_FIELD
      ? null
      : html`<form action="${path}${hash}">${hiddenInputs(others)}<label>Page <input type="number" name="${name}" min="1" max="${Math.min(last, MAX_PAGES)}" value="${Math.min(page, last)}" required></label><button class="quiet">Go</button></form>`
  }${choices}</nav>`;
}

function rowsLinks(path: string, fields: QueryFields, limit: number, name: string): Html {
  const { [name]: _page, ...others } = fields;
  return html`<span>Rows: ${SIZES.map(
    (size, i) =>
      html`${i === 0 ? "" : " · "}${size === limit ? html`<b>${size}</b>` : html`<a rel="nofollow" href="${addQuery(path, { ...others, limit: String(size) })}">${size}</a>`}`,
  )}</span>`;
}

const [CURRENT] = PUBLIC_VERSIONS;

/**
 * Returns the URL of a page under a SHARE version. The current version needs no parameter. `path` may have a fragment
 * but no query.
 */
export function underVersion(path: string, version: string): string {
  if (version === CURRENT) return path;
  const [place = "", fragment] = path.split("#");
  return `${place}?rubric=${version}${fragment === undefined ? "" : `#${fragment}`}`;
}

/** Returns the hidden input with which the result of a form has the same SHARE version; null for the current version. */
export function rubricInput(version: string): Html | null {
  return version === CURRENT ? null : html`<input type="hidden" name="rubric" value="${version}">`;
}

/** Returns a note for a view of an older SHARE version, with a link to the current version; null for the current version. */
export function versionNote(version: string, path: string, label = t("This page")): Html | null {
  if (version === CURRENT) return null;
  return html`<p class="note">This page uses SHARE ${version}, an older version. <a href="${path}">${label} under SHARE ${CURRENT}</a></p>`;
}

/** Maximum length, in characters, of a search in the lists of institutions and funders. */
const MAX_SEARCH_LENGTH = 240;

/** Returns a name as a link to a list with a search for this name. */
export function searchLink(path: string, name: string): Html {
  return html`<a href="${addQuery(path, { search: name.slice(0, MAX_SEARCH_LENGTH) })}"><bdi>${name}</bdi></a>`;
}
