// Reads a vocabulary file for the tests, by column name, without the loaders under test.
import { readFile } from "node:fs/promises";
import { parseString } from "fast-csv";

/** The folder with the files of the vocabularies. */
export const VOCABULARIES = new URL("../../pipeline/vocabularies/", import.meta.url);

/**
 * Returns the rows of a vocabulary file. Each row is a function that returns the value of a column, and throws for an unknown
 * one.
 */
export async function readVocabularyRows(file: string): Promise<((column: string) => string)[]> {
  const text = await readFile(new URL(file, VOCABULARIES), "utf8");
  const rows: ((column: string) => string)[] = [];
  for await (const row of parseString<Record<string, string>, Record<string, string>>(text, { headers: true })) {
    rows.push((column) => {
      const cell: unknown = row[column];
      if (typeof cell !== "string") throw new Error(`${file} has no column ${column}`);
      return cell;
    });
  }
  return rows;
}
