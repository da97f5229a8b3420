/**
 * A whole list as it is read: JSON rows, one a line, or Arrow's record batches. Rows are asked for a batch at a time, each
 * behind the last of the one before, so that nothing of the engine is held for a reader who is slow, and nothing runs for
 * one who has left.
 */

import type { Route } from "../../../api-static/routes/route.ts";
import type { Answer } from "../../frame/answering/answer.ts";
import type { ReadRequest } from "../../frame/reading/read-request.ts";
import type { StreamForm } from "../../frame/reading/wanted-form.ts";
import type { Standing } from "../../people/hidden/standing.ts";
import { Fields } from "../listing/fields.ts";
import { type Batch, LONGEST_STREAM, refuseParts, streamAnswer } from "../listing/stream-answer.ts";
import { findRowsAfter } from "../queries/find-rows.ts";
import { type ListName, type ListQuery, listName, listQuery } from "../queries/lists.ts";
import { showRows } from "../queries/show-rows.ts";
import type { OpenRelease } from "../release/open-release.ts";

/** Rows of a batch: some megabytes of text. */
const BATCH = 4096;

/**
 * `end` is called once, when the last row was read or the reader has left; not where this throws. `query`: what the route's
 * schema gave.
 */
export async function answerStream(
  route: Route,
  request: ReadRequest,
  query: unknown,
  form: StreamForm,
  open: OpenRelease,
  { hidden }: Pick<Standing, "hidden">,
  end: () => void,
  batch = BATCH,
): Promise<Answer> {
  refuseParts(request.query);
  const list = listName.parse(route.name);
  const asked: ListQuery = { ...listQuery.parse(query), limit: batch };
  const left = new AbortController();
  const signal = AbortSignal.any([request.signal, left.signal, AbortSignal.timeout(LONGEST_STREAM)]);
  const release = open.for({ signal });
  const without = list === "authors" ? await release.hidden.positionsOf(hidden) : null;
  const fields = asked.fields === undefined ? null : new Fields(asked.fields);
  const about = new Map([
    ["share_release", release.digest],
    ["share_rubric", asked.rubric],
  ]);
  const streamed = { answer: route.answer, fields, about };
  return streamAnswer(form, streamed, batchesOf(release, list, asked, without), route.cache, () => {
    left.abort();
    end();
  });
}

/** At least one, which is empty where the list is. */
async function* batchesOf(
  release: OpenRelease,
  list: ListName,
  asked: ListQuery,
  without: string | null,
): AsyncGenerator<Batch, void, undefined> {
  let after: number | null = null;
  do {
    const { total, positions, next } = await findRowsAfter(release.prepared, list, asked, without, after);
    yield { total, rows: await showRows(release.prepared, list, asked.rubric, positions) };
    after = next;
  } while (after !== null);
}
