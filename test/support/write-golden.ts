/**
 * Keeps the golden release up to date.
 * `node test/support/write-golden.ts` writes fixtures/golden/release.json, or the file named; with `--check` it writes
 * nothing and fails where the file is out of date. Either way it prints which records moved, and how.
 */

import { readFile, writeFile } from "node:fs/promises";
import { relative } from "node:path";
import { REPOSITORY } from "./bundled-corpus.ts";
import {
  GOLDEN,
  type GoldenRelease,
  goldenDifferences,
  goldenRelease,
  goldenText,
  makeGoldenRelease,
} from "./golden-release.ts";

/** What the file holds, or null where there is none. */
async function readGolden(file: string): Promise<GoldenRelease | null> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return null;
  });
  return text === null ? null : goldenRelease.parse(JSON.parse(text));
}

const options = process.argv.slice(2);
const check = options[0] === "--check";
const [file = GOLDEN, ...rest] = check ? options.slice(1) : options;
if (file.startsWith("-") || rest.length > 0) {
  process.stderr.write("usage: node test/support/write-golden.ts [--check] [file]\n");
  process.exitCode = 2;
} else {
  const before = await readGolden(file);
  const after = await makeGoldenRelease();
  const differences = before === null ? ["there was none"] : goldenDifferences(before, after);
  const name = relative(REPOSITORY, file);
  if (differences.length > 0) {
    process.stdout.write(`${name} ${check ? "is out of date" : "written"}:\n`);
    for (const line of differences) process.stdout.write(`  ${line}\n`);
  }
  if (!check) await writeFile(file, goldenText(after));
  else if (differences.length > 0) {
    process.stderr.write("Run `npm run golden`, and say in the change why these scores moved.\n");
    process.exitCode = 1;
  }
}
