/** Rows of a vocabulary file with their line numbers, and the keys under which texts are looked up. */

import { before, withoutEnd, withoutStart } from "./ends.ts";

/** A vocabulary file: its rows, and the sha256 (hex) of its bytes. */
export interface VocabularyTable {
  readonly file: string;
  readonly digest: string;
  readonly rows: readonly VocabularyRow[];
}

/** A vocabulary file in tables.json: the sha256 (hex) of its bytes, and its cells without the remarks for people. */
export interface CompiledTable {
  readonly digest: string;
  readonly rows: readonly (readonly string[])[];
}

/** Returns the table of a compiled file. A cell that it does not have is empty. */
export function makeTable(file: string, columns: readonly string[], { digest, rows }: CompiledTable): VocabularyTable {
  return { file, digest, rows: rows.map((cells, index) => toRow(file, index + 2, columns, cells)) };
}

/** Returns rows by key. A repeated key is an error, because the result would depend on the order of the rows. */
export function indexRows(
  rows: readonly VocabularyRow[],
  getKey: (row: VocabularyRow) => string,
): Map<string, VocabularyRow> {
  const index = new Map<string, VocabularyRow>();
  for (const row of rows) {
    const key = getKey(row);
    const earlier = index.get(key);
    if (earlier) row.fail(`has the same key as line ${earlier.line}: "${key}"`);
    index.set(key, row);
  }
  return index;
}

function toRow(file: string, line: number, columns: readonly string[], cells: readonly string[]): VocabularyRow {
  return new VocabularyRow(file, line, new Map(columns.map((column, index) => [column, cells[index] ?? ""])));
}

/** A line of a vocabulary file. Every method throws a VocabularyError with file and line. */
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
    return this.#cells.get(column) ?? this.fail(`there is no column "${column}"`);
  }

  filled(column: string): string {
    return this.text(column) || this.fail(`"${column}" is empty`);
  }

  /** Returns the cell as one of a closed list of words. */
  word<Word extends string>(column: string, words: readonly Word[]): Word {
    const cell = this.text(column);
    const word = words.find((candidate) => candidate === cell);
    return word ?? this.fail(`"${column}" is "${cell}", not one of ${words.join(", ")}`);
  }

  /** Returns the cell as a set of words from a closed list, separated by `;`. An empty cell is the empty set. */
  wordSet<Word extends string>(column: string, words: readonly Word[]): ReadonlySet<Word> {
    const cell = this.text(column);
    const parts = cell === "" ? [] : cell.split(";");
    const known = words.filter((word) => parts.includes(word));
    if (known.length !== parts.length) this.fail(`"${column}" is "${cell}", not a set of ${words.join(", ")}`);
    return new Set(known);
  }

  flag(column: string): boolean {
    return this.word(column, ["yes", "no"]) === "yes";
  }

  fail(problem: string): never {
    throw new VocabularyError(this.file, this.line, problem);
  }
}

/** A vocabulary file is invalid. The message has the file, the line and the cell. */
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

/** Longest URL in characters. The rest is not read. */
const MAX_ADDRESS_LENGTH = 2048;

/** White space other than single spaces. */
const UNFOLDED = /[^\S ]| {2}/;
const WHITE_SPACE = /\s+/g;

export function foldSpace(text: string): string {
  return UNFOLDED.test(text) ? text.replace(WHITE_SPACE, " ").trim() : text.trim();
}

/** Trims, folds white space and lower-cases. */
export function plainKey(text: string): string {
  return foldSpace(text).toLowerCase();
}

/** Returns letters and digits in lower case: `isSupplementTo`, `Is supplement to` and `is-supplement-to` are equal. */
export function wordKey(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/** Returns letters, digits, `+` and inner dots, which distinguish licence names (`GPL-2.0+` is not `GPL-2.0`). */
export function licenceKey(text: string): string {
  const key = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.+]+/gu, "");
  return withoutEnd(withoutStart(key, "."), ".");
}

/**
 * Returns the URL of a statement (licence, access right) in lower case without variable parts: scheme, `www.`, query,
 * fragment, language or form of the page (`/legalcode.de`, `/deed.en_US`, `.en.html`), last slash.
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

/** Removes everything from the first part of a path that only selects a form of the page. */
function withoutForm(path: string): string {
  const form = path.search(/\/(?:legalcode|deed)(?:[./_-]|$)/);
  return form < 0 ? path : path.slice(0, form);
}

/** Longest text in the cache. Longer texts are rarely repeated and could fill the memory. */
const MAX_CACHED_LENGTH = 500;

/**
 * Caches results of `compute` for texts that occur millions of times (licences, affiliations). A full cache is emptied, so
 * that memory stays limited without tracking the use of each entry.
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
