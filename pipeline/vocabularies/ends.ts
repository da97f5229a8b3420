/**
 * Removes characters at the ends of a text in linear time. A pattern such as `[.,]+$` would take quadratic time, because it
 * starts again at every run of such characters.
 */

export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

export function withoutStart(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start += 1;
  return text.slice(start);
}

/** Removes white space and the given characters at the end of a text. */
export function withoutSpacedEnd(text: string, characters: string): string {
  for (let rest = text; ; ) {
    const next = withoutEnd(rest.trimEnd(), characters);
    if (next.length === rest.length) return rest;
    rest = next;
  }
}

export function withoutSpacedStart(text: string, characters: string): string {
  for (let rest = text; ; ) {
    const next = withoutStart(rest.trimStart(), characters);
    if (next.length === rest.length) return rest;
    rest = next;
  }
}

/** Returns the text before the first of the given marks. Returns the whole text if it contains none. */
export function before(text: string, ...marks: readonly string[]): string {
  const indexes = marks.map((mark) => text.indexOf(mark)).filter((index) => index >= 0);
  return indexes.length === 0 ? text : text.slice(0, Math.min(...indexes));
}
