/** Text laid out for a terminal: folded to a width, and without what would steer the terminal. */

/** Lines of at most `width` characters, broken between words where there are any. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((each) => pieces(each, width))) {
    if (line === "") line = word;
    else if (length(line) + 1 + length(word) <= width) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** A word longer than a line, in lines of its own. */
function pieces(word: string, width: number): string[] {
  const points = Array.from(word);
  const lines: string[] = [];
  for (let start = 0; start < points.length; start += width) lines.push(points.slice(start, start + width).join(""));
  return lines;
}

function length(text: string): number {
  return Array.from(text).length;
}

/** A text that came from outside, without control characters and with single spaces. */
export function shown(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/ {2,}/g, " ")
    .trim();
}
