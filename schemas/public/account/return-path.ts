/**
 * The path to go to after signing in: a path of this site, and nothing that a browser, a proxy or a second decoding could take
 * for another. What is refused is refused for what it says, never repaired: a repaired address is how redirects are opened.
 */

import { z } from "zod";

/** interface.md, "Limits". */
export const LONGEST_RETURN_PATH = 300;

/** Where one goes who named no place. */
export const DEFAULT_RETURN_PATH = "/";

/** Any host: a path leads to the one it is asked of. */
const ANYWHERE = "https://site.invalid";

/** What RFC 3986 lets stand in a path, a query and a fragment; no white space, no backslash, nothing beyond ASCII. */
const CHARACTERS = /^\/(?:[A-Za-z0-9._~!$&'()*+,;=:@/?#-]|%[0-9A-Fa-f]{2})*$/;

/** What must not come out of any number of decodings. */
const CONTROL = /[\p{Cc}\\]/u;

const SLASH_LIKE = /[\u2044\u2215\u29f5\u29f8\u29f9\ufe68\uff0f\uff3c]/u;

const ASCII_TRIPLET = /%([0-7][0-9A-Fa-f])/g;

/** Two slashes begin a host; dots step out of a folder. */
const STEPS = /\/\/|\/\.{1,2}(?:\/|$)/;

/** More decodings than any chain of programs makes; what is still encoded then is refused. */
const MOST_DECODINGS = 5;

/** Begun from there, signing in would go round in circles, or add an iD that nobody asked for. */
const SIGN_IN = /^\/auth(?:[/?#]|$)/i;

export const returnPath = z
  .string("must be text")
  .max(LONGEST_RETURN_PATH, `must have at most ${LONGEST_RETURN_PATH} characters`)
  .refine(isReturnPath, "must be a path of this site, such as /account")
  .meta({
    minLength: 1,
    maxLength: LONGEST_RETURN_PATH,
    pattern: CHARACTERS.source,
    examples: ["/account"],
    description:
      "A path of this site: no host, no `//`, no dot segments, nothing under `/auth`, however it is encoded.",
  });

function isReturnPath(text: string): boolean {
  return CHARACTERS.test(text) && staysAsItIs(text) && isPlainHoweverDecoded(text);
}

/** The parser of browsers (WHATWG URL) finds nothing to interpret: no host, no dot segments, nothing to strip or turn. */
function staysAsItIs(text: string): boolean {
  if (!URL.canParse(text, ANYWHERE)) return false;
  const url = new URL(text, ANYWHERE);
  return url.origin === ANYWHERE && url.pathname + url.search + url.hash === text;
}

function isPlainHoweverDecoded(text: string): boolean {
  if (!isWellEncoded(text)) return false;
  let decoded = text;
  for (let times = 0; times <= MOST_DECODINGS; times += 1) {
    const path = decoded.split(/[?#]/)[0] ?? "";
    if (CONTROL.test(decoded) || STEPS.test(path) || SIGN_IN.test(path)) return false;
    const next = decoded.replace(ASCII_TRIPLET, (_triplet, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (next === decoded) return true;
    decoded = next;
  }
  return false;
}

/** UTF-8, and nothing beyond ASCII that looks like a slash. */
function isWellEncoded(text: string): boolean {
  try {
    return !SLASH_LIKE.test(decodeURIComponent(text));
  } catch {
    return false;
  }
}
