/**
 * Characters taken off the ends of a text, in as many steps as there are characters to take. A pattern such as `[.,]+$`
 * looks for the end of the text from every run of them within it: four times the text, sixteen times the time.
 */

/** The text without those of `characters` that it ends with. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** The text without those of `characters` that it begins with. */
export function withoutStart(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start += 1;
  return text.slice(start);
}

/** The same as `withoutEnd`, of white space as well. */
export function withoutSpacedEnd(text: string, characters: string): string {
  for (let rest = text; ; ) {
    const next = withoutEnd(rest.trimEnd(), characters);
    if (next.length === rest.length) return rest;
    rest = next;
  }
}

/** The same as `withoutStart`, of white space as well. */
export function withoutSpacedStart(text: string, characters: string): string {
  for (let rest = text; ; ) {
    const next = withoutStart(rest.trimStart(), characters);
    if (next.length === rest.length) return rest;
    rest = next;
  }
}

/** The text before the first of `marks`; the whole text where there is none. */
export function before(text: string, ...marks: readonly string[]): string {
  const indexes = marks.map((mark) => text.indexOf(mark)).filter((index) => index >= 0);
  return indexes.length === 0 ? text : text.slice(0, Math.min(...indexes));
}
