// Which file names tell a reader something.
import { baseName, isNumber, stemOf, wordsOf } from "./file-name-parts.ts";
import { indexRows, type VocabularyTable } from "./read-table.ts";

/** The shortest stem that can describe anything, in characters (rubrics: descriptive_filename_count). */
const SHORTEST_STEM = 5;

/** Judges names of files, and words of them. */
export interface FileNames {
  /** Long enough, more than generic words and counters, and nothing but letters, digits and `._-`. */
  isDescriptive(fileName: string): boolean;
  /** Whether a lower-case word of a name says nothing of the content: a generic word or a number. */
  isGeneric(word: string): boolean;
}

/** Reads generic-filenames.csv; `isExtension` says which lower-case suffixes are listed as extensions. */
export function readFileNames(table: VocabularyTable, isExtension: (suffix: string) => boolean): FileNames {
  const generic = new Set(indexRows(table.rows, (row) => row.filled("word").toLowerCase()).keys());
  const isGeneric = (word: string): boolean => generic.has(word) || isNumber(word);
  return {
    isGeneric,
    isDescriptive(fileName) {
      const name = baseName(fileName);
      if (!/^[\p{L}\p{M}\p{Nd}._-]+$/u.test(name)) return false;
      const stem = stemOf(name, isExtension);
      return [...stem].length >= SHORTEST_STEM && !wordsOf(stem).every(isGeneric);
    },
  };
}
