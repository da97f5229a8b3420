/**
 * A whole list as it is read: JSON rows, one a line, or Arrow's record batches. Rows are asked for a batch at a time, each
 * behind the last of the one before, so that nothing of the engine is held for a reader who is slow, and nothing runs for
 * one who has left.
 */

import type { Route } from "../../../api-static/routes/route.ts";
import { type Answer, contentHeaders, type Pieces } from "../../frame/answering/answer.ts";
import { endingWith } from "../../frame/answering/ending-with.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { ReadRequest } from "../../frame/reading/read-request.ts";
import type { StreamForm } from "../../frame/reading/wanted-form.ts";
import type { Standing } from "../../people/hidden/standing.ts";
import { Fields } from "../listing/fields.ts";
import { type RowPieces, rowPieces } from "../listing/row-pieces.ts";
import { findRowsAfter } from "../queries/find-rows.ts";
import { type ListName, type ListQuery, listName, listQuery } from "../queries/lists.ts";
import { type ShownRow, showRows } from "../queries/show-rows.ts";
import type { OpenRelease } from "../release/open-release.ts";

/** Rows of a batch: some megabytes of text. */
const BATCH = 4096;

/** However slowly it is read, a stream ends: until then its release stays open. */
const LONGEST_MILLISECONDS = 3_600_000;

/** Parameters that choose a part of a list. */
const OF_PARTS = ["page", "limit", "cursor"];

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
  const signal = AbortSignal.any([request.signal, left.signal, AbortSignal.timeout(LONGEST_MILLISECONDS)]);
  const release = open.for({ signal });
  const without = list === "authors" ? await release.hidden.positionsOf(hidden) : null;
  const batches = batchesOf(release, list, asked, without);
  // What refuses the query does so before anything is sent.
  const first = await batches.next();
  const fields = asked.fields === undefined ? null : new Fields(asked.fields);
  const about = new Map([
    ["share_release", release.digest],
    ["share_rubric", asked.rubric],
  ]);
  const made = await rowPieces(form, { answer: route.answer, fields, about });
  const pieces = piecesOf(made, first.done ? null : first.value, batches);
  const headers = {
    ...contentHeaders(made.contentType, route.cache),
    "x-total-count": String(first.value?.total ?? 0),
    // A proxy that kept it all for a slow reader would have us read to the end for one who leaves.
    "x-accel-buffering": "no",
  };
  const body = endingWith(pieces, () => {
    left.abort();
    end();
  });
  return { status: 200, headers, body };
}

function refuseParts(query: string): void {
  const given = new URLSearchParams(query);
  const named = OF_PARTS.filter((name) => given.has(name));
  if (named.length === 0) return;
  throw new ProblemError("invalid-parameter", "A stream is all of a list.", {
    errors: named.map((path) => ({ path, message: "chooses a part of a list; a stream is all of it" })),
  });
}

interface Batch {
  /** Rows of the whole list. */
  readonly total: number;
  readonly rows: readonly ShownRow[];
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

async function* piecesOf(made: RowPieces, first: Batch | null, others: AsyncIterable<Batch>): Pieces {
  yield made.head();
  if (first !== null) yield made.batch(first.rows);
  for await (const { rows } of others) yield made.batch(rows);
  yield made.tail();
}
