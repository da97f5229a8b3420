/** Reads the rows of vocabulary files with their line numbers, and computes the keys under which texts are looked up. */

import { before, withoutEnd, withoutStart } from "./ends.ts";

/** A vocabulary file: its rows, and the sha256 (hex) of its bytes. */
export interface VocabularyTable {
  readonly file: string;
  readonly digest: string;
  readonly rows: readonly VocabularyRow[];
}

/** A vocabulary file in tables.json: the sha256 (hex) of the CSV file, and its cells without remarks. */
export interface CompiledTable {
  readonly digest: string;
  readonly rows: readonly (readonly string[])[];
}

/** Returns the table of a compiled file. A cell that is missing at the end of a row is empty. */
export function makeTable(file: string, columns: readonly string[], { digest, rows }: CompiledTable): VocabularyTable {
  return { file, digest, rows: rows.map((cells, index) => toRow(file, index + 2, columns, cells)) };
}

/**
 * Returns the rows by key. Throws an error if a key occurs twice, because the result would depend on the order of the rows.
 */
export function indexRows(
  rows: readonly VocabularyRow[],
  getKey: (row: VocabularyRow) => string,
): Map<string, VocabularyRow> {
  const index = new Map<string, VocabularyRow>();
  for (const row of rows) {
    const key = getKey(row);
    const earlier = index.get(key);
    if (earlier) row.fail(`the line has the same key as line ${earlier.line}: "${key}"; remove one of them`);
    index.set(key, row);
  }
  return index;
}

function toRow(file: string, line: number, columns: readonly string[], cells: readonly string[]): VocabularyRow {
  return new VocabularyRow(file, line, new Map(columns.map((column, index) => [column, cells[index] ?? ""])));
}

/** A row of a vocabulary file. If a cell is invalid, its methods throw a VocabularyError with file and line. */
export class VocabularyRow {
  readonly file: string;
  readonly line: number;
  readonly #cells: ReadonlyMap<string, string>;

  constructor(file: string, line: number, cells: ReadonlyMap<string, string>) {
    this.file = file;
    this.line = line;
    this.#cells = cells;
  }

  text(column: string): string {
    return (
      this.#cells.get(column) ?? this.fail(`the file has no column "${column}"; add it to columns.ts and to the file`)
    );
  }

  filled(column: string): string {
    return this.text(column) || this.fail(`the column "${column}" is empty; write a value`);
  }

  /** Returns the cell, which must be one of `words`. */
  word<Word extends string>(column: string, words: readonly Word[]): Word {
    const cell = this.text(column);
    const word = words.find((candidate) => candidate === cell);
    return word ?? this.fail(`the column "${column}" contains "${cell}", not one of ${words.join(", ")}`);
  }

  /**
   * Returns the cell as a set of words, which are separated by `;` and must be among `words`. An empty cell returns an
   * empty set.
   */
  wordSet<Word extends string>(column: string, words: readonly Word[]): ReadonlySet<Word> {
    const cell = this.text(column);
    const parts = cell === "" ? [] : cell.split(";");
    const known = words.filter((word) => parts.includes(word));
    if (known.length !== parts.length)
      this.fail(
        `the column "${column}" contains "${cell}", not words of this list, separated by ";": ${words.join(", ")}`,
      );
    return new Set(known);
  }

  flag(column: string): boolean {
    return this.word(column, ["yes", "no"]) === "yes";
  }

  fail(problem: string): never {
    throw new VocabularyError(this.file, this.line, problem);
  }
}

/** A vocabulary file is invalid. The message contains the file, the line and the cell. */
export class VocabularyError extends Error {
  readonly code = "vocabulary_invalid";
  readonly file: string;
  readonly line: number;

  constructor(file: string, line: number, problem: string) {
    super(`${file}:${line}: ${problem}`);
    this.name = "VocabularyError";
    this.file = file;
    this.line = line;
  }
}

/** Number of characters of a URL that are read. */
const MAX_ADDRESS_LENGTH = 2048;

/** Matches white space that is not a single space. */
const UNFOLDED = /[^\S ]| {2}/;
const WHITE_SPACE = /\s+/g;

export function foldSpace(text: string): string {
  return UNFOLDED.test(text) ? text.replace(WHITE_SPACE, " ").trim() : text.trim();
}

/** Returns a text in lower case, trimmed and with single spaces. */
export function plainKey(text: string): string {
  return foldSpace(text).toLowerCase();
}

/**
 * Returns the letters and digits in lower case, so that `isSupplementTo`, `Is supplement to` and `is-supplement-to` are
 * equal.
 */
export function wordKey(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/**
 * Returns the letters and digits with `+` and inner dots, because these distinguish licences (`GPL-2.0+` is not `GPL-2.0`).
 */
export function licenceKey(text: string): string {
  const key = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.+]+/gu, "");
  return withoutEnd(withoutStart(key, "."), ".");
}

/**
 * Returns the URL of a licence or access right in lower case, without the parts that vary: scheme, `www.`, query, fragment,
 * last slash, and the language or form of the page (`/legalcode.de`, `/deed.en_US`, `.en.html`).
 */
export function addressKey(url: string): string {
  const bare = url
    .slice(0, MAX_ADDRESS_LENGTH)
    .trim()
    .toLowerCase()
    .replace(/^<|>$/g, "")
    .replace(/^(https?:)?\/\//, "")
    .replace(/^www\./, "");
  const page = withoutForm(before(bare, "?", "#"))
    .replace(/\/index\.(html?|php)$/, "")
    .replace(/(\.[a-z]{2})?\.(html?|txt|php)$/, "");
  return withoutEnd(page, "/");
}

/**
 * Removes the last parts of a path, beginning with one that only selects the form of a page, such as `/legalcode.de`.
 */
function withoutForm(path: string): string {
  const form = path.search(/\/(?:legalcode|deed)(?:[./_-]|$)/);
  return form < 0 ? path : path.slice(0, form);
}

/** Longest text in the cache, in characters. Longer texts rarely repeat and could fill the memory. */
const MAX_CACHED_LENGTH = 500;

/**
 * Caches the results of `compute` for texts that occur very often, such as licences and affiliations. A full cache is
 * emptied. This limits the memory without recording when each entry was used.
 */
export function memoise<Answer>(compute: (text: string) => Answer, capacity = 20_000): (text: string) => Answer {
  const answers = new Map<string, { answer: Answer }>();
  return (text) => {
    if (text.length > MAX_CACHED_LENGTH) return compute(text);
    const known = answers.get(text);
    if (known) return known.answer;
    if (answers.size >= capacity) answers.clear();
    const answer = compute(text);
    answers.set(text, { answer });
    return answer;
  };
}
