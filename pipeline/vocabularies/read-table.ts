/** Reads one vocabulary file: RFC 4180 CSV with a header line, into rows that know their line number, and a digest. */

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { parseString } from "fast-csv";
import { before, withoutEnd, withoutStart } from "./ends.ts";

/** A vocabulary as read: `digest` is the sha256 (hex) of the file's bytes. */
export interface VocabularyTable {
  readonly file: string;
  readonly digest: string;
  readonly rows: readonly VocabularyRow[];
}

/** Reads `file` in `folder`; the header must be exactly `columns`, and every line must have as many cells. */
export async function readTable(folder: URL, file: string, columns: readonly string[]): Promise<VocabularyTable> {
  const bytes = await readFile(new URL(file, folder));
  const [header, ...lines] = await parseCells(file, bytes.toString("utf8"));
  if (header?.join() !== columns.join()) throw new VocabularyError(file, 1, `the header is not ${columns.join()}`);
  return {
    file,
    digest: createHash("sha256").update(bytes).digest("hex"),
    rows: lines.map((cells, index) => toRow(file, index + 2, columns, cells)),
  };
}

/** Rows by key; two rows with one key would make the answer depend on their order, so that is an error. */
export function indexRows(
  rows: readonly VocabularyRow[],
  keyOf: (row: VocabularyRow) => string,
): Map<string, VocabularyRow> {
  const index = new Map<string, VocabularyRow>();
  for (const row of rows) {
    const key = keyOf(row);
    const earlier = index.get(key);
    if (earlier) row.fail(`says the same key as line ${earlier.line}: "${key}"`);
    index.set(key, row);
  }
  return index;
}

async function parseCells(file: string, text: string): Promise<string[][]> {
  // A cell with a line break would shift every line number below it; no vocabulary needs one.
  const lineCount = text.split("\n").length - 1;
  const lines: string[][] = [];
  for await (const cells of parseString<string[], string[]>(text, { headers: false })) lines.push(cells);
  if (lines.length !== lineCount) {
    throw new VocabularyError(
      file,
      lineCount,
      `${lineCount} lines hold ${lines.length} rows: one row a line, no blank`,
    );
  }
  return lines;
}

function toRow(file: string, line: number, columns: readonly string[], cells: readonly string[]): VocabularyRow {
  if (cells.length !== columns.length) {
    throw new VocabularyError(file, line, `has ${cells.length} cells, not ${columns.length}`);
  }
  return new VocabularyRow(file, line, new Map(columns.map((column, index) => [column, cells[index] ?? ""])));
}

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

/** The error of a vocabulary file that cannot be used: it names the file, the line and what was seen there. */
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

/** As much of an address as tells what it is of. */
const LONGEST_ADDRESS = 2048;

/** White space other than single ordinary spaces. */
const UNFOLDED = /[^\S ]| {2}/;
const WHITE_SPACE = /\s+/g;

/** White space runs become one space; ends trimmed. */
export function foldSpace(text: string): string {
  return UNFOLDED.test(text) ? text.replace(WHITE_SPACE, " ").trim() : text.trim();
}

/** Trimmed, white space folded, lower case. */
export function plainKey(text: string): string {
  return foldSpace(text).toLowerCase();
}

/** Letters and digits alone, lower case: `isSupplementTo`, `Is supplement to` and `is-supplement-to` are one word. */
export function wordKey(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/** Letters, digits, `+` and inner dots: what tells licence names apart (`GPL-2.0+` is not `GPL-2.0`). */
export function licenceKey(text: string): string {
  const key = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.+]+/gu, "");
  return withoutEnd(withoutStart(key, "."), ".");
}

/**
 * The address of a statement (licence, access right) without what varies between its copies: scheme, `www.`, query,
 * fragment, the language or form of the page (`/legalcode.de`, `/deed.en_US`, `.en.html`), the last slash. Lower case.
 */
export function addressKey(url: string): string {
  const bare = url
    .slice(0, LONGEST_ADDRESS)
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

/** The first part of a path that is a form of the page, and all behind it. */
function withoutForm(path: string): string {
  const form = path.search(/\/(?:legalcode|deed)(?:[./_-]|$)/);
  return form < 0 ? path : path.slice(0, form);
}

/** Longer texts are not remembered: they seldom come back, and would let hostile input fill the memory. */
const LONGEST = 500;

/**
 * Remembers what `compute` answered, for texts that come back by the million (licences, affiliations). When
 * `capacity` answers are held all are forgotten at once: memory stays bounded, and no look-up pays for an order of use.
 */
export function memoise<Answer>(compute: (text: string) => Answer, capacity = 20_000): (text: string) => Answer {
  const answers = new Map<string, { answer: Answer }>();
  return (text) => {
    if (text.length > LONGEST) return compute(text);
    const known = answers.get(text);
    if (known) return known.answer;
    if (answers.size >= capacity) answers.clear();
    const answer = compute(text);
    answers.set(text, { answer });
    return answer;
  };
}
