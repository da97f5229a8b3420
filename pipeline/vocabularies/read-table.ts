// Reads one vocabulary file: RFC 4180 CSV with a header line, into rows that know their line number, and a digest.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { parseString } from "fast-csv";
import { VocabularyError } from "./vocabulary-error.ts";
import { VocabularyRow } from "./vocabulary-row.ts";

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
