/** The length of a description or methods text as evidence. */

import type { Vocabularies } from "../vocabularies/index.ts";
import { cleanLength, cleanText } from "./text.ts";

/** The longest text of an untouched template; a longer one says something, even if it begins with "TODO:". */
const LONGEST_PLACEHOLDER = 200;

/** Code points of the cleaned text: null = not carried, 0 = blank or a placeholder. */
export function textLength(text: string | null, { placeholders }: Vocabularies): number | null {
  if (text === null) return null;
  if (text.length <= LONGEST_PLACEHOLDER && placeholders.isPlaceholder(cleanText(text), "any")) return 0;
  return cleanLength(text);
}
