/** The shown label of a reported affiliation (decisions.md, "Rows"). */

import { displayText } from "../reading/text.ts";

const EMAIL = /[^\s,;<>()]+@[^\s,;<>()]+\.[a-z]{2,}/gi;
const URL_TEXT = /\bhttps?:\/\/\S+|\bwww\.\S+/gi;
/** Brackets whose content was an address. */
const EMPTY = /\(\s*\)|\[\s*\]/g;
const LOOSE_ENDS = /^[\s,;:()[\]-]+|[\s,;:([-]+$/g;

/** The text without control and bidirectional characters, markup, e-mail addresses and URLs, at most 240 characters. */
export function institutionLabel(raw: string): string {
  const shown = displayText(raw, 1000).replace(EMAIL, "").replace(URL_TEXT, "").replace(EMPTY, "");
  const label = displayText(shown.replace(LOOSE_ENDS, ""), 240);
  return label === "" ? "(no name)" : label;
}
