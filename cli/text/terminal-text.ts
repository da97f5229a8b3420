/** Text for a terminal: what would steer it, or turn its words round, stands there as its number. */

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
