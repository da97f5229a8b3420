/**
 * Schemas of texts in requests. Lengths are in code points, as in JSON Schema. Every rule is also in the OpenAPI document.
 */

import { z } from "zod";

/** Returns the number of code points of a text. */
export function countCodePoints(text: string): number {
  return [...text].length;
}

/** Returns the schema of a text that may contain any characters. */
export function text(most: number, least = 0) {
  return z
    .string("must be text")
    .refine((given) => countCodePoints(given) >= least, "must not be empty")
    .refine((given) => countCodePoints(given) <= most, `must have at most ${most} characters`)
    .meta({ ...(least === 0 ? {} : { minLength: least }), maxLength: most });
}

/** Characters that change the direction of text, for a regular expression. */
const TURNING = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
/** Characters that change the direction of text, and control characters, for any dialect of regular expressions. */
const CONTROLS = `\\u0000-\\u001f\\u007f-\\u009f${TURNING}`;
/** The characters of `CONTROLS` without line breaks and tabs, for texts of several lines. */
const CONTROLS_IN_LINES = `\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f${TURNING}`;
/**
 * Control, format, private and separator characters, and the two that XML does not allow. They are listed one by one, because most dialects do not know `\p`.
 */
const HIDDEN =
  "\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ue000-\\uf8ff\\ufeff\\ufff9-\\ufffb\\ufffe\\uffff";

interface TextBounds {
  readonly least: number;
  readonly most: number;
  /** True if the text may have several lines. */
  readonly lines?: boolean;
}

/**
 * Returns the schema of a text without control characters. White space around the text is removed after its length was
 * checked.
 */
export function plainText({ least, most, lines = false }: TextBounds) {
  const hidden = lines ? CONTROLS_IN_LINES : CONTROLS;
  const isHidden = new RegExp(`[${hidden}]`);
  return (
    z
      .string("must be text")
      .refine((given) => countCodePoints(given) <= most, `must have at most ${most} characters`)
      .trim()
      .refine((given) => countCodePoints(given) >= least, "must not be empty")
      // A lone surrogate has no UTF-8 form. A database would store another text.
      .refine((given) => !isHidden.test(given) && given.isWellFormed(), "must not contain control characters")
      .meta({ minLength: least, maxLength: most, pattern: trimmedPattern(hidden, least) })
  );
}

/** Returns the regular expression that clients see in the OpenAPI document. It allows white space around the text. */
function trimmedPattern(hidden: string, least: number): string {
  const inner = least === 0 ? `[^${hidden}]*` : `[^\\s${hidden}](?:[^${hidden}]*[^\\s${hidden}])?`;
  return `^\\s*${inner}\\s*$`;
}

/** Returns the schema of a text that only contains visible characters, at least one. */
export function visibleText(most: number) {
  const pattern = `^[^${HIDDEN}]+$`;
  const visible = new RegExp(pattern, "u");
  return text(most, 1)
    .refine((given) => visible.test(given), "must have only visible characters")
    .meta({ minLength: 1, maxLength: most, pattern });
}

/** Longest identifier in characters (interface.md, "Request body shapes"). */
export const MAX_IDENTIFIER_LENGTH = 2048;

/** Largest draft in bytes. Responses of sources have the same limit (decisions.md, "Evaluation"). */
export const MAX_DRAFT_BYTES = 5 * 1024 * 1024;

export const HIDDEN_CHARACTER = new RegExp(`[${HIDDEN}]|\\p{Cs}`, "u");

/**
 * The regular expression for identifiers that clients see in the OpenAPI document. The server does not use it, because its
 * own checks have better messages.
 */
export const IDENTIFIER_PATTERN = trimmedPattern(HIDDEN, 1);

/** True if a text is one plain email address, which can be written to a header. */
export function isContact(text: string): boolean {
  return /^[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)+$/.test(text);
}
