/** Texts in requests under /account (interface.md, "Request body shapes"). */

import { z } from "zod";
import { slug } from "../api/researcher.ts";
import { plainText, text } from "../text.ts";

const MAX_SLUG_LENGTH = 160;
const MAX_ID_LENGTH = 160;

/** Slug of a researcher in ASCII. Similar letters of other scripts are rejected. */
export const authorSlug = z
  .string("must be text")
  .min(1, "must not be empty")
  .max(MAX_SLUG_LENGTH, `must have at most ${MAX_SLUG_LENGTH} characters`)
  .regex(/^[A-Za-z0-9._~-]*$/, "must have letters, digits and the characters . _ ~ - only")
  .describe("Slug of a researcher, from `/authors`.");

/** Id of a record in a request. Any text is accepted; a text that is not an id is not found. */
export const idOfRecord = text(MAX_ID_LENGTH, 1).describe("Id of a record; never a DOI.");

/** Slug of a researcher; null if the researcher is hidden. */
export const shownSlug = slug.nullable();

const NOTE = { least: 0, most: 500, lines: true } as const;

export const note = plainText(NOTE).describe("Your note. An empty note removes it.");
export const reason = plainText(NOTE);
