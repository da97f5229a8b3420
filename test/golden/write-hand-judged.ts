/**
 * Writes docs/hand-judged.csv: `node test/golden/write-hand-judged.ts`. Also writes its figures to docs/hand-judged.json, if
 * the real payloads are present. With `--check`, writes nothing and fails if the first file is out of date. The suite
 * hand-judged.test.ts checks the figures.
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
