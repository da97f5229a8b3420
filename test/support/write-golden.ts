/**
 * Updates the golden release, and with it the evidence of readers for the bundled payloads (readers.json).
 * `node test/support/write-golden.ts` writes fixtures/golden/release.json, or the named file; with `--check` it writes
 * nothing, and fails if the file is out of date. In both cases it prints the changed records. If the evidence of a reader
 * changed under the same version, it writes nothing.
 */

import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { z } from "zod";
import { REPOSITORY } from "./bundled-corpus.ts";
import { goldenReaders, goldenReadersText, makeGoldenReaders, unraisedReaders } from "./golden-readers.ts";
import { GOLDEN, goldenDifferences, goldenRelease, goldenText, makeGoldenRelease } from "./golden-release.ts";

/** Returns the parsed content of a file; null if the file does not exist. */
async function readIn<T>(file: string, schema: z.ZodType<T>): Promise<T | null> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return null;
  });
  return text === null ? null : schema.parse(JSON.parse(text));
}

/**
 * Writes readers.json. If a reader extracts other evidence under the same version, prints which versions must be raised, writes
 * nothing, and returns false.
 */
async function keepReaders(file: string): Promise<boolean> {
  const readers = await makeGoldenReaders();
  const faults = unraisedReaders((await readIn(file, goldenReaders)) ?? {}, readers);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (faults.length === 0 && !check) await writeFile(file, goldenReadersText(readers));
  return faults.length === 0;
}

const options = process.argv.slice(2);
const check = options[0] === "--check";
const [file = GOLDEN, ...rest] = check ? options.slice(1) : options;
if (file.startsWith("-") || rest.length > 0) {
  process.stderr.write("usage: node test/support/write-golden.ts [--check] [file]\n");
  process.exitCode = 2;
} else {
  const before = await readIn(file, goldenRelease);
  const after = await makeGoldenRelease();
  const differences = before === null ? ["there was none"] : goldenDifferences(before, after);
  const readersHold = await keepReaders(join(dirname(file), "readers.json"));
  const name = relative(REPOSITORY, file);
  if (differences.length > 0) {
    process.stdout.write(`${name} ${check || !readersHold ? "is out of date" : "written"}:\n`);
    for (const line of differences) process.stdout.write(`  ${line}\n`);
  }
  if (!readersHold) process.exitCode = 1;
  else if (!check) await writeFile(file, goldenText(after));
  else if (differences.length > 0) {
    process.stderr.write("Run `npm run golden`, and say in the change why these scores moved.\n");
    process.exitCode = 1;
  }
}
