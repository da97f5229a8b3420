/** Yields all rows of a list from several responses or from a stream. */

import { Problem } from "./sending.ts";

export interface ListedPage<Row> {
  readonly data: readonly Row[];
  readonly pagination: { readonly hasNext: boolean; readonly nextCursor?: string | null };
  readonly _meta?: { readonly scoreRelease: { readonly releaseDigest: string } };
}

/**
 * Thrown if another release was activated while a list was read. Rows may be missing or repeated, so read the list again.
 */
export class ReleaseChanged extends Error {
  override readonly name = "ReleaseChanged";
  readonly code = "release-changed";
}

/** The next place in a list: the number of a page, or a cursor. */
export type ListPosition = { readonly page: number } | { readonly cursor: string };

/**
 * Yields the rows of a list, and requests each page only when its rows are used. Starts at `first`: with a page number,
 * reads page by page; with a cursor, reads any number of rows.
 * @throws ReleaseChanged if another release is activated meanwhile
 */
export async function* eachRow<Row>(
  rowsAt: (place: ListPosition) => Promise<ListedPage<Row>>,
  first: ListPosition,
): AsyncGenerator<Row, void> {
  let release: string | undefined;
  for (let place: ListPosition | null = first; place !== null; ) {
    const answer: ListedPage<Row> = await rowsAt(place).catch(changed);
    const { data, _meta } = answer;
    const digest = _meta?.scoreRelease.releaseDigest;
    release ??= digest;
    if (digest !== release)
      throw new ReleaseChanged(
        `these rows belong to the release ${digest}, but the rows before them to ${release}. Read the list again from the start.`,
      );
    yield* data;
    place = placeAfter(place, answer);
  }
}

function placeAfter(place: ListPosition, { pagination }: ListedPage<unknown>): ListPosition | null {
  const { hasNext, nextCursor } = pagination;
  if ("page" in place) return hasNext ? { page: place.page + 1 } : null;
  return typeof nextCursor === "string" ? { cursor: nextCursor } : null;
}

function changed(failure: unknown): never {
  if (failure instanceof Problem && failure.code === "cursor-expired") throw new ReleaseChanged(failure.message);
  throw failure;
}

/**
 * Yields the rows of a stream, which `open` starts when the first row is requested. Leaving the loop cancels the stream.
 */
export async function* rowsIn<Row>(open: () => Promise<ReadableStream<Uint8Array>>): AsyncGenerator<Row, void> {
  const reader = (await open()).getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + decoder.decode(value, { stream: !done })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield JSON.parse(line);
      if (!done) continue;
      if (rest !== "") throw new TypeError("the stream ended within a row, so rows are missing; read the list again");
      return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
