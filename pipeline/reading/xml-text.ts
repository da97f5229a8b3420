/** All the text of a parsed XML element, its elements' included: what a paragraph with emphasis says. */

import { asObject, asText } from "./reader.ts";

/** Own text first, then that of the elements in their order; attributes left out; null where there is none. */
export function xmlTextOf(element: unknown): string | null {
  const pieces: string[] = [];
  gather(element, pieces);
  return pieces.length === 0 ? null : pieces.join(" ");
}

function gather(value: unknown, pieces: string[]): void {
  const text = asText(value);
  if (text !== null) pieces.push(text);
  if (Array.isArray(value)) for (const element of value) gather(element, pieces);
  const object = asObject(value);
  if (object === null) return;
  gather(object["#text"], pieces);
  for (const [name, member] of Object.entries(object)) {
    if (name !== "#text" && !name.startsWith("@")) gather(member, pieces);
  }
}
