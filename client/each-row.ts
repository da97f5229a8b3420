/** All rows of a list, one answer after the other. */

import { Problem } from "./sending.ts";

export interface Page<Row> {
  readonly data: readonly Row[];
  readonly pagination: { readonly hasNext: boolean; readonly nextCursor?: string | null };
  readonly _meta?: { readonly scoreRelease: { readonly releaseDigest: string } };
}

/** A list went over to another release while it was read: rows may be missing or doubled, so that it has to be read anew. */
export class ReleaseChanged extends Error {
  override readonly name = "ReleaseChanged";
  readonly code = "release-changed";
}

/** Where to go on in a list: a page by its number, or what a cursor leads to. */
export type Place = { readonly page: number } | { readonly cursor: string };

/**
 * Asks for rows as they are used, and for none when the reader stops: from a page on, or from the beginning by cursors,
 * which know no last page.
 *
 * @throws ReleaseChanged where another release is activated meanwhile
 */
export async function* eachRow<Row>(
  rowsAt: (place: Place) => Promise<Page<Row>>,
  first: Place,
): AsyncGenerator<Row, void> {
  let release: string | undefined;
  for (let place: Place | null = first; place !== null; ) {
    const answer: Page<Row> = await rowsAt(place).catch(changed);
    const { data, _meta } = answer;
    const digest = _meta?.scoreRelease.releaseDigest;
    release ??= digest;
    if (digest !== release) throw new ReleaseChanged(`these rows are of ${digest}, those before of ${release}`);
    yield* data;
    place = placeAfter(place, answer);
  }
}

function placeAfter(place: Place, { pagination }: Page<unknown>): Place | null {
  const { hasNext, nextCursor } = pagination;
  if ("page" in place) return hasNext ? { page: place.page + 1 } : null;
  return typeof nextCursor === "string" ? { cursor: nextCursor } : null;
}

function changed(failure: unknown): never {
  if (failure instanceof Problem && failure.code === "cursor-expired") throw new ReleaseChanged(failure.message);
  throw failure;
}

/** `open` is called when the first row is asked for; who stops reading lets the stream go. */
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
      if (rest !== "") throw new TypeError("the stream ends within a row");
      return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
