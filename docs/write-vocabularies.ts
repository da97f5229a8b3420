/**
 * Compiles the word lists: `node docs/write-vocabularies.ts` writes pipeline/vocabularies/tables.json from the CSV files.
 * With `--check` it writes nothing and fails if the file is out of date.
 */

import { readFile, writeFile } from "node:fs/promises";
import { compiledText, compileVocabularies } from "../pipeline/vocabularies/compile.ts";

const TABLES = new URL("../pipeline/vocabularies/tables.json", import.meta.url);

const text = compiledText(await compileVocabularies());
if (!process.argv.includes("--check")) await writeFile(TABLES, text);
else if ((await readFile(TABLES, "utf8")) !== text) {
  process.stderr.write("pipeline/vocabularies/tables.json is out of date: run npm run generate\n");
  process.exitCode = 1;
}
