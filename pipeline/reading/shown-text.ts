/** A title, name or version as a reader may see it. */

import type { Vocabularies } from "../vocabularies/index.ts";
import { displayText } from "./text.ts";

/** The text without markup and control characters; null where there is none, or a placeholder. */
export function shownText(text: string | null, { placeholders }: Vocabularies): string | null {
  return text === null || placeholders.isPlaceholder(text, "any") ? null : displayText(text) || null;
}
