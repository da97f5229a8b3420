// The forms under which a text and the rows of a vocabulary are compared: case, space and spelling set aside.

import { before, withoutEnd, withoutStart } from "./ends.ts";

/** As much of an address as tells what it is of. */
const LONGEST_ADDRESS = 2048;

/** White space other than single ordinary spaces. */
const UNFOLDED = /[^\S ]| {2}/;
const WHITE_SPACE = /\s+/g;

/** White space runs become one space; ends trimmed. */
export function foldSpace(text: string): string {
  return UNFOLDED.test(text) ? text.replace(WHITE_SPACE, " ").trim() : text.trim();
}

/** Trimmed, white space folded, lower case. */
export function plainKey(text: string): string {
  return foldSpace(text).toLowerCase();
}

/** Letters and digits alone, lower case: `isSupplementTo`, `Is supplement to` and `is-supplement-to` are one word. */
export function wordKey(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/** Letters, digits, `+` and inner dots: what tells licence names apart (`GPL-2.0+` is not `GPL-2.0`). */
export function licenceKey(text: string): string {
  const key = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.+]+/gu, "");
  return withoutEnd(withoutStart(key, "."), ".");
}

/**
 * The address of a statement (licence, access right) without what varies between its copies: scheme, `www.`, query,
 * fragment, the language or form of the page (`/legalcode.de`, `/deed.en_US`, `.en.html`), the last slash. Lower case.
 */
export function addressKey(url: string): string {
  const bare = url
    .slice(0, LONGEST_ADDRESS)
    .trim()
    .toLowerCase()
    .replace(/^<|>$/g, "")
    .replace(/^(https?:)?\/\//, "")
    .replace(/^www\./, "");
  const page = withoutForm(before(bare, "?", "#"))
    .replace(/\/index\.(html?|php)$/, "")
    .replace(/(\.[a-z]{2})?\.(html?|txt|php)$/, "");
  return withoutEnd(page, "/");
}

/** The first part of a path that is a form of the page, and all behind it. */
function withoutForm(path: string): string {
  const form = path.search(/\/(?:legalcode|deed)(?:[./_-]|$)/);
  return form < 0 ? path : path.slice(0, form);
}
