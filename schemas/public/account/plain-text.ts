/** Text people send us: trimmed, of bounded length, and nothing in it that could act on a terminal or a page. */

import { z } from "zod";

/** Characters that turn the direction of the text around them. */
const TURNING = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
/** Those, and control characters: as every dialect of regular expressions writes them. */
const HIDDEN = `\\u0000-\\u001f\\u007f-\\u009f${TURNING}`;
/** The same, line breaks and tabs left alone. */
const HIDDEN_IN_LINES = `\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f${TURNING}`;

export interface TextBounds {
  readonly least: number;
  readonly most: number;
  /** May it have several lines? */
  readonly lines?: boolean;
}

/** `least` and `most` count code points, as JSON Schema does, after white space around the text is gone. */
export function plainText({ least, most, lines = false }: TextBounds) {
  const hidden = lines ? HIDDEN_IN_LINES : HIDDEN;
  const isHidden = new RegExp(`[${hidden}]`);
  return (
    z
      .string("must be text")
      .trim()
      .refine((text) => lengthOf(text) >= least, "must not be empty")
      .refine((text) => lengthOf(text) <= most, `must have at most ${most} characters`)
      // Half a surrogate pair has no UTF-8: a database would keep something else.
      .refine((text) => !isHidden.test(text) && text.isWellFormed(), "must not contain control characters")
      .meta({ minLength: least, maxLength: most, pattern: patternOf(hidden, least) })
  );
}

/** For clients that check before they send: white space around a text is nobody's mistake, nothing else may be there. */
function patternOf(hidden: string, least: number): string {
  const inner = least === 0 ? `[^${hidden}]*` : `[^\\s${hidden}](?:[^${hidden}]*[^\\s${hidden}])?`;
  return `^\\s*${inner}\\s*$`;
}

function lengthOf(text: string): number {
  return [...text].length;
}
