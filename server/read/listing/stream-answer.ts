/** The answer that all rows of a list are, batch by batch: as JSON, one row a line, or as Arrow's record batches. */

import { type Answer, contentHeaders, type Pieces } from "../../frame/answering/answer.ts";
import { endingWith } from "../../frame/answering/ending-with.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { StreamForm } from "../../frame/reading/wanted-form.ts";
import { type RowPieces, rowPieces, type Streamed } from "./row-pieces.ts";

/** Milliseconds: however slowly it is read, a stream ends, and until then its release stays open. */
export const LONGEST_STREAM = 3_600_000;

/** Parameters that choose a part of a list. */
const OF_PARTS = ["page", "limit", "cursor"];

export interface Batch {
  /** Rows of the whole list. */
  readonly total: number;
  readonly rows: readonly object[];
}

/** @throws ProblemError `invalid-parameter` for a query that asks for a part */
export function refuseParts(query: string): void {
  const given = new URLSearchParams(query);
  const named = OF_PARTS.filter((name) => given.has(name));
  if (named.length === 0) return;
  throw new ProblemError("invalid-parameter", "A stream is all of a list.", {
    errors: named.map((path) => ({ path, message: "chooses a part of a list; a stream is all of it" })),
  });
}

/** `end` is called once, when the last row was read or the reader has left; not where this throws. */
export async function streamAnswer(
  form: StreamForm,
  streamed: Streamed,
  batches: AsyncGenerator<Batch, void, undefined>,
  cache: string,
  end: () => void,
): Promise<Answer> {
  // What refuses the query does so before anything is sent.
  const first = await batches.next();
  const made = await rowPieces(form, streamed);
  const headers = {
    ...contentHeaders(made.contentType, cache),
    "x-total-count": String(first.value?.total ?? 0),
    // A proxy that kept it all for a slow reader would have us read to the end for one who leaves.
    "x-accel-buffering": "no",
  };
  const body = endingWith(piecesOf(made, first.done ? null : first.value, batches), end);
  return { status: 200, headers, body };
}

async function* piecesOf(made: RowPieces, first: Batch | null, others: AsyncIterable<Batch>): Pieces {
  yield made.head();
  if (first !== null) yield made.batch(first.rows);
  for await (const { rows } of others) yield made.batch(rows);
  yield made.tail();
}
