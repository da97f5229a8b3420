/** Text for a terminal: what would steer it, or turn its words round, stands there as its number. */

const STEERING = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\ufeff]/gu;

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
