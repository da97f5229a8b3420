// The folded form of texts and of names, under which two spellings are one (decisions.md, "Folding").
import type { Degrees } from "./degrees.ts";
import { memoise } from "./memoise.ts";
import { indexRows, type VocabularyTable } from "./read-table.ts";

/** So many names without degrees are remembered at most: one is asked for several times in a row, and most never again. */
const NAMES = 1000;

/** Folds texts and personal names. Letters of other scripts are kept. */
export interface Folding {
  /** Case, accents, width and punctuation set aside, letters of folding.csv replaced, white space folded. */
  foldText(text: string): string;
  /** The same for a personal name, with degrees dropped and `Family, Given` turned. */
  foldName(text: string): string;
  /** The name without degrees and titles; otherwise as written. */
  dropDegrees(text: string): string;
  /** Whether a segment of a name is a generational suffix (Jr., III). */
  isGenerational(segment: string): boolean;
}

/** Reads folding.csv. */
export function readFolding(folding: VocabularyTable, { dropDegrees: drop, isGenerational }: Degrees): Folding {
  const foldText = textFolder(folding);
  const dropDegrees = memoise(drop, NAMES);
  return {
    foldText,
    dropDegrees,
    isGenerational,
    foldName(text) {
      const [first = "", second = "", ...rest] = dropDegrees(text.normalize("NFKC")).split(",");
      // "Martin King, Jr." is in order already.
      const turned = isGenerational(second) ? [first, second] : [second, first];
      return foldText([...turned, ...rest].join(" "));
    },
  };
}

const ASCII = /^[\x20-\x26\x28-\x5f\x61-\x7e]*$/;

function textFolder(table: VocabularyTable): (text: string) => string {
  const rows = indexRows(table.rows, (row) => row.filled("character"));
  const folded = new Map([...rows].map(([character, row]) => [character, row.text("folded")]));
  for (const [character, row] of rows) {
    if ([...character].length !== 1) row.fail(`"${character}" is not one character`);
  }

  return (text) => {
    // Most texts are plain ASCII without apostrophes, which needs no normalising.
    if (ASCII.test(text))
      return text
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, " ")
        .trim();
    return (
      text
        .normalize("NFKC")
        // Characters without a glyph, and accents that stand alone in place of an apostrophe (O´Brien).
        .replace(/\p{Cf}| \p{M}+/gu, "")
        .toLowerCase()
        .normalize("NFD")
        // Marks of other scripts are part of their letters: й is not и, and が is not か.
        .replace(/([\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu, "$1")
        .normalize("NFC")
        .replace(/[^a-z0-9 ]/gu, (character) => folded.get(character) ?? character)
        // From a character that is neither letter nor digit up to the next that is; marks that follow one have no letter.
        .replace(/(?:^|[^\p{L}\p{M}\p{N}])[^\p{L}\p{N}]*/gu, " ")
        .trim()
    );
  };
}
