/** A manifest as it is published: its text, whose digest a receipt vouches for, in lines. */

import { type ManifestLine, manifestLine } from "../../schemas/public/release.ts";

/** Of a text that is what its receipt says. */
export function linesOf(text: string): ManifestLine[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => manifestLine.parse(JSON.parse(line)));
}
