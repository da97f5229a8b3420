/** All rows of a list, page after page. */

export interface Page<Row> {
  readonly data: readonly Row[];
  readonly pagination: { readonly hasNext: boolean };
  readonly _meta?: { readonly scoreRelease: { readonly releaseDigest: string } };
}

/** A list went over to another release while it was read: rows may be missing or doubled, so that it has to be read anew. */
export class ReleaseChanged extends Error {
  override readonly name = "ReleaseChanged";
  readonly code = "release-changed";
}

/**
 * Asks for pages as their rows are used, and for none when the reader stops.
 *
 * @throws ReleaseChanged where another release is activated meanwhile
 */
export async function* eachRow<Row>(
  pageAt: (page: number) => Promise<Page<Row>>,
  first: number,
): AsyncGenerator<Row, void> {
  let release: string | undefined;
  for (let number = first; ; number += 1) {
    const { data, pagination, _meta } = await pageAt(number);
    const digest = _meta?.scoreRelease.releaseDigest;
    release ??= digest;
    if (digest !== release)
      throw new ReleaseChanged(`page ${number} is of ${digest}, the pages before are of ${release}`);
    yield* data;
    if (!pagination.hasNext) return;
  }
}
