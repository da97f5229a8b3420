/** A page of a list by query: JSON with the bytes of a rendered page, or the same rows as CSV. */

import { listPage } from "../../../api-static/pages/list.ts";
import { pageText } from "../../../api-static/pages/page.ts";
import { CSV_TYPE, type Route } from "../../../api-static/routes/route.ts";
import { type Answer, contentAnswer } from "../../frame/answering/answer.ts";
import type { Standing } from "../../people/hidden/standing.ts";
import { csvBody, csvColumns } from "../queries/csv.ts";
import { findRows } from "../queries/find-rows.ts";
import { linksOf } from "../queries/links.ts";
import { listName, listQuery } from "../queries/lists.ts";
import { showRows } from "../queries/show-rows.ts";
import type { OpenRelease } from "../release/open-release.ts";

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
  const found = await findRows(release.prepared, list, asked, without);
  const rows = await showRows(release.prepared, list, asked.rubric, found);
  const { total } = found;
  const answer = csv
    ? contentAnswer(await csvBody(csvColumns(route.answer), rows), CSV_TYPE, route.cache)
    : contentAnswer(
        Buffer.from(pageText(listPage(rows, { ...asked, total }, release.receipt))),
        route.contentType,
        route.cache,
      );
  const headers = { ...answer.headers, link: linksOf(route, asked, total) };
  return { ...answer, headers: csv ? { ...headers, "x-total-count": String(total) } : headers };
}
