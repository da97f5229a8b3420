/**
 * Compiles the vocabulary files (CSV as in RFC 4180, with a header line) to tables.json. Run by docs/write-vocabularies.ts.
 */

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { parseString } from "fast-csv";
import { VOCABULARY_COLUMNS, VOCABULARY_FILES, type VocabularyFile } from "./columns.ts";
import type { CompiledVocabularies } from "./index.ts";
import { type CompiledTable, VocabularyError } from "./read-table.ts";

const FOLDER = new URL(".", import.meta.url);

/** Name of the last column in most files. It contains remarks for people, which have no effect. */
const REMARK = "note";

/**
 * Compiles the vocabulary files of a folder, by default of this one.
 * @throws VocabularyError with file and line, if a header does not match or a line has another number of cells
 */
export async function compileVocabularies(folder: URL = FOLDER): Promise<CompiledVocabularies> {
  const tables = VOCABULARY_FILES.map(async (file) => {
    const { digest, rows } = await readCells(folder, file);
    const width = VOCABULARY_COLUMNS[file].filter((column) => column !== REMARK).length;
    return [file, { digest, rows: rows.map((cells) => cells.slice(0, width)) }];
  });
  return Object.fromEntries(await Promise.all(tables)) as CompiledVocabularies;
}

/**
 * Returns the text of tables.json. Each row of a vocabulary has its own line, so that the change of one word changes one
 * line.
 */
export function compiledText(compiled: CompiledVocabularies): string {
  const tables = Object.entries(compiled).map(([file, { digest, rows }]) => {
    const lines = rows.map((cells) => `   ${JSON.stringify(cells)}`).join(",\n");
    return ` ${JSON.stringify(file)}: {\n  "digest": ${JSON.stringify(digest)},\n  "rows": [\n${lines}\n  ]\n }`;
  });
  return `{\n${tables.join(",\n")}\n}\n`;
}

/** Reads all cells of a file, including remarks. */
export async function readCells(folder: URL, file: VocabularyFile): Promise<CompiledTable> {
  const bytes = await readFile(new URL(file, folder));
  const columns = VOCABULARY_COLUMNS[file];
  const [header, ...rows] = await parseCells(file, bytes.toString("utf8"));
  if (header?.join() !== columns.join())
    throw new VocabularyError(file, 1, `the first line must be the header ${columns.join()}`);
  for (const [index, { length }] of rows.entries()) {
    if (length !== columns.length) {
      throw new VocabularyError(
        file,
        index + 2,
        `the line has ${length} cells, not ${columns.length} (${columns.join(", ")})`,
      );
    }
  }
  return { digest: createHash("sha256").update(bytes).digest("hex"), rows };
}

async function parseCells(file: string, text: string): Promise<string[][]> {
  // A cell with a line break would shift the line numbers after it.
  const lineCount = text.split("\n").length - 1;
  const lines: string[][] = [];
  for await (const cells of parseString<string[], string[]>(text, { headers: false })) lines.push(cells);
  if (lines.length !== lineCount) {
    throw new VocabularyError(
      file,
      lineCount,
      `the ${lineCount} lines of the file have ${lines.length} rows; remove empty lines and line breaks within cells, and end the last line with a line break`,
    );
  }
  return lines;
}

/** Returns the text of each file, sorted by file name. `digest` of the vocabularies contains the sha256 of these texts. */
export async function vocabularyTexts(): Promise<ReadonlyMap<string, string>> {
  const texts = await Promise.all(VOCABULARY_FILES.map((name) => readFile(new URL(name, FOLDER), "utf8")));
  return new Map(VOCABULARY_FILES.map((name, place) => [name, texts[place] ?? ""]));
}
