/** The shown label of a reported affiliation (decisions.md, "Rows"). */

import { displayText } from "../reading/text.ts";
import { withoutSpacedEnd, withoutSpacedStart } from "../vocabularies/ends.ts";

/** Runs of characters that an address may have, and one of them that is an address or begins with one. */
const RUN = /[^\s,;<>()]+/g;
const ENDING = /\.[a-z]{2,}/gi;
const URL_TEXT = /\bhttps?:\/\/\S+|\bwww\.\S+/gi;
/** Brackets whose content was an address. */
const EMPTY = /\(\s*\)|\[\s*\]/g;

/** The text without control and bidirectional characters, markup, e-mail addresses and URLs, at most 240 characters. */
export function institutionLabel(raw: string): string {
  const shown = displayText(raw, 1000).replace(RUN, withoutEmail).replace(URL_TEXT, "").replace(EMPTY, "");
  const label = displayText(withoutSpacedEnd(withoutSpacedStart(shown, ",;:()[]-"), ",;:([-"), 240);
  return label === "" ? "(no name)" : label;
}

/** As much of a run as is an address goes: from its beginning to the last ending of letters behind its first `@`. */
function withoutEmail(run: string): string {
  // Before and behind an `@` there is something.
  const at = run.indexOf("@", 1);
  if (at < 0) return run;
  const domain = run.slice(at + 2);
  const last = [...domain.matchAll(ENDING)].at(-1);
  return last === undefined ? run : domain.slice(last.index + last[0].length);
}
