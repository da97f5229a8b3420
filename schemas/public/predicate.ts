/** A predicate of a contract: few words over evidence columns. It is run as SQL, and a contract may come from a stranger. */

import { z } from "zod";
import { EVIDENCE } from "./evidence.ts";

const WORDS = new Set<string>([
  ...EVIDENCE.map(({ name }) => name),
  ...["and", "or", "not", "is", "null", "true", "false", "coalesce"],
]);

const TOKEN = /\s*(?:([a-z_]+)|\d+|[<>]=|<>|''|[=<>*(),])/y;

/** Whether a text has no other word than those above, and nothing but whole numbers, comparisons, `*`, brackets and `''`. */
function isPredicate(text: string): boolean {
  let end = 0;
  while (end < text.length) {
    TOKEN.lastIndex = end;
    const [token, word] = TOKEN.exec(text) ?? [];
    if (token === undefined || (word !== undefined && !WORDS.has(word))) return false;
    end += token.length;
  }
  return true;
}

export const predicate = z.string().min(1).refine(isPredicate, {
  error: "a predicate is made of evidence columns, comparisons, and, or, not, is null, coalesce",
});
