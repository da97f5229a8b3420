// One line of a vocabulary: its cells by column name, read as text, as a word of a closed list, or as a flag.
import { VocabularyError } from "./vocabulary-error.ts";

/** A line of a vocabulary file. Every reader throws a VocabularyError that names file and line. */
export class VocabularyRow {
  readonly file: string;
  readonly line: number;
  readonly #cells: ReadonlyMap<string, string>;

  constructor(file: string, line: number, cells: ReadonlyMap<string, string>) {
    this.file = file;
    this.line = line;
    this.#cells = cells;
  }

  /** The cell as it stands; it may be empty. */
  text(column: string): string {
    return this.#cells.get(column) ?? this.fail(`there is no column "${column}"`);
  }

  /** The cell, which must not be empty. */
  filled(column: string): string {
    return this.text(column) || this.fail(`"${column}" is empty`);
  }

  /** The cell as one of a closed list of words. */
  word<Word extends string>(column: string, words: readonly Word[]): Word {
    const seen = this.text(column);
    const word = words.find((candidate) => candidate === seen);
    return word ?? this.fail(`"${column}" is "${seen}", not one of ${words.join(", ")}`);
  }

  /** The cell as a `;`-separated set of words of a closed list; an empty cell is the empty set. */
  wordSet<Word extends string>(column: string, words: readonly Word[]): ReadonlySet<Word> {
    const seen = this.text(column);
    const parts = seen === "" ? [] : seen.split(";");
    const known = words.filter((word) => parts.includes(word));
    if (known.length !== parts.length) this.fail(`"${column}" is "${seen}", not a set of ${words.join(", ")}`);
    return new Set(known);
  }

  /** The cell as yes or no. */
  flag(column: string): boolean {
    return this.word(column, ["yes", "no"]) === "yes";
  }

  fail(problem: string): never {
    throw new VocabularyError(this.file, this.line, problem);
  }
}
