/** Text of outside as one line, where its markup is to be seen: in what is told of files, in logs, on a terminal. */

/** Characters that would steer a terminal, turn words round, or begin a line. Byte order marks are seen by nobody. */
export const STEERING = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\ufeff]/gu;

const SPACES = /\s+/g;

/** White space and what is in {@link STEERING} as single spaces; at most `limit` UTF-16 units. */
export function lineText(text: string, limit: number): string {
  // Cut to a few times the limit first, so that no text costs more than a line.
  const line = text
    .slice(0, 4 * limit)
    .replace(STEERING, " ")
    .replace(SPACES, " ")
    .trim();
  return line.slice(0, limit).toWellFormed();
}
