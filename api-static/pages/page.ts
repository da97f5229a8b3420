/** The one way in which pages are written: compact JSON, one line, UTF-8. Server and renderer write the same bytes through this. */

/** The text of a JSON page. */
export function pageText(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
