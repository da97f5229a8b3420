/** The institution that a reported affiliation makes: its id, its exact text and its label (decisions.md, "Rows"). */

import { hash } from "node:crypto";
import { displayText } from "../reading/text.ts";
import { withoutSpacedEnd, withoutSpacedStart } from "../vocabularies/ends.ts";

/** Runs of characters that an address may have, and one of them that is an address or begins with one. */
const RUN = /[^\s,;<>()]+/g;
const ENDING = /\.[a-z]{2,}/gi;
const URL_TEXT = /\bhttps?:\/\/\S+|\bwww\.\S+/gi;
/** Brackets whose content was an address. */
const EMPTY = /\(\s*\)|\[\s*\]/g;

/** Everything but ASCII letters, digits, spaces and harmless punctuation. */
const UNSAFE = /[^ !#-%'-;=?-[\]-~]/g;

export interface ReportedInstitution {
  /** sha256 of the exact text in UTF-8, in hexadecimal. */
  readonly id: string;
  /**
   * The exact text as a JSON string in ASCII: characters that are not safe to show are written as `\uXXXX`. JSON cannot
   * carry half a surrogate pair to other languages, so U+FFFD stands for it, as in UTF-8.
   */
  readonly reported: string;
  readonly label: string;
}

export function institutionOf(raw: string): ReportedInstitution {
  const text = raw.toWellFormed();
  return { id: hash("sha256", text), reported: `"${text.replace(UNSAFE, escaped)}"`, label: institutionLabel(raw) };
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

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
