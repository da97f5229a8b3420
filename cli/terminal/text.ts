/** Formats text for a terminal: escapes control characters, adds colours, wraps lines and aligns tables. */

import { inspect, styleText } from "node:util";
import { STEERING } from "../../pipeline/reading/text.ts";

const STYLES = ["green", "red", "yellow", "dim", "bold"] as const;

export type Style = (typeof STYLES)[number];

export type Paint = (style: Style, text: string) => string;

/**
 * Escapes control characters, because a text from a service or a file could otherwise control the terminal. JSON keeps
 * its meaning.
 */
export function terminalText(text: string): string {
  return text.replace(STEERING, (character) =>
    character === "\n" || character === "\t"
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function printLines(text: string): void {
  process.stdout.write(`${terminalText(text)}\n`);
}

const ESCAPE = "\u001b";

/** Adds a colour. Does nothing if standard output is not a terminal with colours, or if NO_COLOR is set. */
export const paint: Paint = (style, text) => styleText(style, text, { stream: process.stdout });

/** The escape sequences that {@link paint} writes. */
const COLOURS = STYLES.flatMap((style) => (inspect.colors[style] ?? []).map((code) => `[${code}m`));

/** Prints text with colours. Escapes all control characters except the sequences of {@link paint}. */
export function printPainted(text: string): void {
  const [first = "", ...rest] = text.split(ESCAPE);
  const parts = rest.map((part) => {
    const colour = COLOURS.find((each) => part.startsWith(each));
    if (colour === undefined) return terminalText(`${ESCAPE}${part}`);
    return `${ESCAPE}${colour}${terminalText(part.slice(colour.length))}`;
  });
  process.stdout.write(`${terminalText(first)}${parts.join("")}\n`);
}

/** Splits a text into lines of at most `width` characters, between words if possible. */
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

function pieces(word: string, width: number): string[] {
  const points = Array.from(word);
  const lines: string[] = [];
  for (let start = 0; start < points.length; start += width) lines.push(points.slice(start, start + width).join(""));
  return lines;
}

function length(text: string): number {
  return Array.from(text).length;
}

/** Returns text from elsewhere with single spaces and without control characters. */
export function shown(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/ {2,}/g, " ")
    .trim();
}

const GAP = "  ";

/** Returns the lines of a table. Text from elsewhere must have passed {@link shown} before. */
export function textTable(headings: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string[] {
  const widths = headings.map((heading, i) =>
    Math.max(...[heading, ...rows.map((row) => row[i] ?? "")].map(measureWidth)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell + " ".repeat((widths[i] ?? 0) - measureWidth(cell)))
      .join(GAP)
      .trimEnd();
  return [paint("dim", line(headings)), ...rows.map(line)];
}

/** Returns the number of terminal columns that a text takes. East Asian letters take two, combining marks none. */
export function measureWidth(text: string): number {
  const wide = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60]/gu);
  const marks = text.match(/\p{M}/gu);
  return Array.from(text).length + (wide?.length ?? 0) - (marks?.length ?? 0);
}

/**
 * Writes to standard output, and waits while the output is full. Returns false if the program that reads the output has
 * ended (`| head`).
 */
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
