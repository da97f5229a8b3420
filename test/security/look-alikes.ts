/** Texts that look like another to people, or become it when they are normalised, and are not it. */

/** ASCII letters and letters of other scripts that are drawn alike. */
const TWINS: Readonly<Record<string, string>> = {
  a: "а",
  c: "с",
  e: "е",
  i: "і",
  o: "о",
  p: "р",
  s: "ѕ",
  x: "х",
  y: "у",
};

/** Characters that show nothing. */
const INVISIBLE = ["\u200b", "\u200d", "\u2060", "\u00ad", "\ufeff", "\u0301", "\u202e"];

/** Other dashes. */
const DASHES = ["\u2010", "\u2011", "\u2212", "\uff0d"];

/** The same letter or digit as another block of Unicode has it, by the distance of the blocks. */
function moved(text: string, offset: number): string {
  return text.replace(/[a-z]/, (letter) => String.fromCodePoint(letter.charCodeAt(0) + offset));
}

/** Every one differs from the text, and most read like it. */
export function lookAlikes(text: string): string[] {
  const twins = Object.entries(TWINS).map(([letter, twin]) => text.replace(letter, twin));
  const forged = [
    ...twins,
    // Full width, mathematical bold and circled letters, which compatibility normalisation makes plain.
    ...[0xff41 - 0x61, 0x1d41a - 0x61, 0x24d0 - 0x61].map((offset) => moved(text, offset)),
    ...INVISIBLE.flatMap((each) => [text + each, text.slice(0, 3) + each + text.slice(3)]),
    ...DASHES.map((dash) => text.replace("-", dash)),
    text.replace(/\d/, (digit) => String.fromCodePoint(0x660 + Number(digit))),
    text.replace("i", "ı"),
  ];
  return [...new Set(forged)].filter((each) => each !== text);
}
