/** Every file of code has a kebab-case name, and begins with a sentence on its purpose. */

import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { findPaths } from "./sources-of.ts";

const paths = await findPaths(/\.(?:ts|js|sql|css)$/);
const texts = new Map(
  await Promise.all(
    paths.map(async (path): Promise<[string, string]> => [path, await readFile(join(REPOSITORY, path), "utf8")]),
  ),
);

/**
 * Matches a comment of at least twenty characters at the start of a file. Only the line with the interpreter may precede it.
 */
const PURPOSE = /^(?:#![^\n]+\n)?(?:\/\*\*\s+(?:\* )?(?:[^*]|\*(?!\/)){20,}?\*\/\n|(?:--|\/\/) \S.{20,}\n)/;

test("every source file begins with a sentence on its purpose", () => {
  for (const text of [
    'import x from "./x.ts";\n/** What this file is for, in words. */\n',
    "/** */\n",
    "select 1;\n",
  ]) {
    expect(text).not.toMatch(PURPOSE);
  }
  expect(texts.size).toBeGreaterThan(300);
  expect([...texts].filter(([, text]) => !PURPOSE.test(text)).map(([path]) => path)).toEqual([]);
});

test("every file has a kebab-case name that is not 'utils' or similar", () => {
  const name = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.test)?\.(?:ts|js|sql|css)$/;
  expect(paths.filter((path) => !name.test(basename(path)))).toEqual([]);
  expect(paths.filter((path) => /(?:^|\/)(?:utils?|helpers?|misc|common-\w+)\b/.test(path))).toEqual([]);
});
