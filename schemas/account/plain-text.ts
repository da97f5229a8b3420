/** Text people send us: trimmed, of bounded length, and nothing in it that could act on a terminal or a page. */

import { z } from "zod";

/** Control characters, and those that turn the direction of the text around them. */
const HIDDEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
/** The same, line breaks and tabs left alone. */
const HIDDEN_IN_LINES = /[^\P{Cc}\t\n\r]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

export interface TextBounds {
  readonly least: number;
  readonly most: number;
  /** May it have several lines? */
  readonly lines?: boolean;
}

/** `least` and `most` count code points, as JSON Schema does, after white space around the text is gone. */
export function plainText({ least, most, lines = false }: TextBounds) {
  const hidden = lines ? HIDDEN_IN_LINES : HIDDEN;
  return (
    z
      .string("must be text")
      .trim()
      .refine((text) => lengthOf(text) >= least, "must not be empty")
      .refine((text) => lengthOf(text) <= most, `must have at most ${most} characters`)
      // Half a surrogate pair has no UTF-8: a database would keep something else.
      .refine((text) => !hidden.test(text) && text.isWellFormed(), "must not contain control characters")
      .meta({ minLength: least, maxLength: most })
  );
}

function lengthOf(text: string): number {
  return [...text].length;
}
