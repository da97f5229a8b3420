/** Small pieces that several sources' requests are made of. */

import type { Ask, AskOptions, Part } from "./source.ts";

/** The only part of a record that one answer holds whole. */
export function onlyPart(ask: (options: AskOptions) => Ask): readonly Part[] {
  return [{ name: "record", take: "record", ask: (_found, options) => ask(options) }];
}

/** The part of `text` that `pattern` has in brackets, where it matches the whole of it; null otherwise. */
export function matchOf(text: string, ...patterns: readonly RegExp[]): string | null {
  for (const pattern of patterns) {
    const found = pattern.exec(text.trim())?.[1];
    if (found !== undefined) return found;
  }
  return null;
}
