/**
 * Keeps the file of hand-judged cases up to date: `node test/golden/write-hand-judged.ts` writes docs/hand-judged.csv, and, where
 * the captured payloads are there, its figures in docs/hand-judged.json; with `--check` it fails where the file is out of date. The
 * figures have a suite of their own (hand-judged.test.ts).
 */

import { readFile, writeFile } from "node:fs/promises";
import { capturesAreThere } from "./golden-cases.ts";
import { CODED, codedText, FIGURES, figuresText, handJudged } from "./hand-judged.ts";

const [option, ...rest] = process.argv.slice(2);
if ((option !== undefined && option !== "--check") || rest.length > 0) {
  process.stderr.write("usage: node test/golden/write-hand-judged.ts [--check]\n");
  process.exitCode = 2;
} else if (option === undefined) {
  await writeFile(CODED, await codedText());
  if (capturesAreThere) await writeFile(FIGURES, figuresText(await handJudged()));
} else if ((await readFile(CODED, "utf8")) !== (await codedText())) {
  process.stderr.write("docs/hand-judged.csv is out of date: run `npm run hand-judged`, and then `npm run docs`.\n");
  process.exitCode = 1;
}
