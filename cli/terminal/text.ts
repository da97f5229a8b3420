/** Text for a terminal: control characters escaped, colours, folded lines, tables. */

import { inspect, styleText } from "node:util";
import { STEERING } from "../../pipeline/reading/text.ts";

const STYLES = ["green", "red", "yellow", "dim", "bold"] as const;

export type Style = (typeof STYLES)[number];

/** Colours on a terminal, the text itself elsewhere. */
export type Paint = (style: Style, text: string) => string;

/** Everything that comes from outside goes through here before it is printed; JSON stays the same JSON. */
export function terminalText(text: string): string {
  return text.replace(STEERING, (character) =>
    character === "\n" || character === "\t"
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A line, or several, on standard output. */
export function printLines(text: string): void {
  process.stdout.write(`${terminalText(text)}\n`);
}

const ESCAPE = "\u001b";

/** Colour where standard output is a terminal that has it, and NO_COLOR does not say otherwise. */
export const paint: Paint = (style, text) => styleText(style, text, { stream: process.stdout });

/** What `paint` puts before and behind a text, and no other sequence. */
const COLOURS = STYLES.flatMap((style) => (inspect.colors[style] ?? []).map((code) => `[${code}m`));

/** Lines that were painted: their colours stay, whatever else would steer the terminal does not. */
export function printPainted(text: string): void {
  const [first = "", ...rest] = text.split(ESCAPE);
  const parts = rest.map((part) => {
    const colour = COLOURS.find((each) => part.startsWith(each));
    if (colour === undefined) return terminalText(`${ESCAPE}${part}`);
    return `${ESCAPE}${colour}${terminalText(part.slice(colour.length))}`;
  });
  process.stdout.write(`${terminalText(first)}${parts.join("")}\n`);
}

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

const GAP = "  ";

/** Lines of a table. Cells are shown as they are: what came from outside has been through shown(). */
export function textTable(headings: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string[] {
  const widths = headings.map((heading, i) => Math.max(...[heading, ...rows.map((row) => row[i] ?? "")].map(widthOf)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell + " ".repeat((widths[i] ?? 0) - widthOf(cell)))
      .join(GAP)
      .trimEnd();
  return [paint("dim", line(headings)), ...rows.map(line)];
}

/** Places a text takes: letters of East Asia take two, marks on other letters none. */
export function widthOf(text: string): number {
  const wide = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60]/gu);
  const marks = text.match(/\p{M}/gu);
  return Array.from(text).length + (wide?.length ?? 0) - (marks?.length ?? 0);
}

/** Writes to standard output; false once its reader is gone (`| head`), when there is no use in going on. */
export async function writePaced(text: string): Promise<boolean> {
  const out = process.stdout;
  if (out.destroyed) return false;
  if (out.write(text)) return true;
  await new Promise<void>((resolve) => {
    const done = () => {
      out.off("drain", done);
      out.off("close", done);
      resolve();
    };
    out.on("drain", done);
    out.on("close", done);
  });
  return !out.destroyed;
}
