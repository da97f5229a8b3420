/** The one way in which pages are written: compact JSON, one line, UTF-8. Server and renderer write the same bytes through this. */

/** A page: its text, or the pieces of it in order, of which some are UTF-8 already. */
export type Page = string | readonly (string | Uint8Array)[];

/** The text of a JSON page. */
export function pageText(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** The bytes of a page, in one piece. */
export function pageBytes(page: Page): Buffer {
  if (typeof page === "string") return Buffer.from(page);
  return Buffer.concat(page.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)));
}
