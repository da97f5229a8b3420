/** Rows of a list by query, a page or those a cursor leads to: JSON with the bytes of a rendered page, or the same rows as CSV. */

import { cursorPage, type ListPage, listPage } from "../../../api-static/pages/list.ts";
import { pageText } from "../../../api-static/pages/read-page.ts";
import { CSV_TYPE, type Route } from "../../../api-static/routes/route.ts";
import { type Answer, contentAnswer } from "../../frame/answering/answer.ts";
import type { Standing } from "../../people/hidden/standing.ts";
import { csvBody, csvColumns } from "../listing/csv.ts";
import { readCursor, writeCursor } from "../listing/cursor.ts";
import { Fields } from "../listing/fields.ts";
import { cursorLinksOf, linksOf } from "../listing/links.ts";
import { findRows, findRowsAfter } from "../queries/find-rows.ts";
import { type ListName, type ListQuery, listName, listQuery } from "../queries/lists.ts";
import { showRows } from "../queries/show-rows.ts";
import type { OpenRelease } from "../release/open-release.ts";

/** Rows that were found, in the envelope of JSON, and the links that lead on from them. */
interface Part {
  readonly page: ListPage<object>;
  readonly links: string;
}

/**
 * `query` is what the route's schema gave. CSV, which has no envelope, says the total in a header. Who is hidden is
 * neither shown nor counted.
 */
export async function answerList(
  route: Route,
  query: unknown,
  csv: boolean,
  release: OpenRelease,
  { hidden }: Pick<Standing, "hidden">,
): Promise<Answer> {
  const list = listName.parse(route.name);
  const asked = listQuery.parse(query);
  const without = list === "authors" ? await release.hidden.positionsOf(hidden) : null;
  const partOf = asked.cursor === undefined ? pageOf : goneOnFrom;
  const { page, links } = await partOf(route, list, asked, release, without);
  const fields = asked.fields === undefined ? null : new Fields(asked.fields);
  const data = fields === null ? page.data : page.data.map((row) => fields.of(row));
  const answer = csv
    ? contentAnswer(await csvBody(csvColumns(route.answer, fields), data), CSV_TYPE, route.cache)
    : contentAnswer(Buffer.from(pageText({ ...page, data })), route.contentType, route.cache);
  const headers = { ...answer.headers, link: links };
  return { ...answer, headers: csv ? { ...headers, "x-total-count": String(page.pagination.total) } : headers };
}

async function pageOf(
  route: Route,
  list: ListName,
  asked: ListQuery,
  release: OpenRelease,
  without: string | null,
): Promise<Part> {
  const { total, positions } = await findRows(release.prepared, list, asked, without);
  const rows = await showRows(release.prepared, list, asked.rubric, positions);
  return { page: listPage(rows, { ...asked, total }, release.receipt), links: linksOf(route, asked, total) };
}

async function goneOnFrom(
  route: Route,
  list: ListName,
  asked: ListQuery,
  release: OpenRelease,
  without: string | null,
): Promise<Part> {
  const place = readCursor(list, asked, release.digest);
  const found = await findRowsAfter(release.prepared, list, asked, without, place?.position ?? null);
  const { total, positions } = found;
  const before = place?.before ?? 0;
  const next =
    found.next === null
      ? null
      : writeCursor(list, asked, release.digest, { position: found.next, before: before + positions.length });
  const rows = await showRows(release.prepared, list, asked.rubric, positions);
  return {
    page: cursorPage(rows, { total, limit: asked.limit, before, next }, release.receipt),
    links: cursorLinksOf(route, asked, next),
  };
}
